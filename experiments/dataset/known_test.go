package dataset

import "assay/configs"

// known is what experiments may name: package catalog's, which imports this package, so that TestMain hands it over.
var known configs.Known

// Hand gives the tests of this package what is known.
func Hand(k configs.Known) { known = k }
