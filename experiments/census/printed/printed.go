// Package printed holds the figures that Interactive-T2S prints of datasets, one CSV file per table, as experiments/published reads
// them. Of a row, dataset is assay's name of the dataset and name the paper's. The package only holds the files: package census
// puts them beside its counts, and plots/paper prints them in the paper's form. It must never hold a number that is not printed.
package printed

import "embed"

// Files are it2s-table1.csv, it2s-table6.csv and it2s-table9.csv.
//
//go:embed *.csv
var Files embed.FS
