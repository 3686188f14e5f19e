# The build tags are not optional: without them SQLite lacks functions that the data sets use, and assay refuses to score.
TAGS := sqlite_fts5,sqlite_math_functions,sqlite_omit_load_extension
GO   := go
BIN  := bin/assay

.PHONY: build install release quickstart test race lint bench clean

build:            ## bin/assay, without the tables of a debugger
	@command -v $(GO) >/dev/null || { echo "Go is missing: install Go 1.26 or later"; exit 1; }
	@command -v $${CC:-cc} >/dev/null || { echo "a C compiler is missing: apt-get install gcc libc6-dev"; exit 1; }
	CGO_ENABLED=1 $(GO) build $(FLAGS) -tags "$(TAGS)" -ldflags "-s -w" -o $(BIN) ./cmd/assay

install:          ## into the folder of Go's programs
	CGO_ENABLED=1 $(GO) install -tags "$(TAGS)" -ldflags "-s -w" ./cmd/assay

release:          ## archive, package, checksums, licences and list of what is inside, in dist/; VERSION=1.2.0
	.release/build dist

quickstart: build ## the main job: run the quickstart experiment and report it
	$(BIN) run quickstart
	$(BIN) report quickstart

test:             ## every test; TESTFLAGS=-race for the race detector
	CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -tags "$(TAGS)" ./...

# Left out is what makes a hundred runs to compare numbers, runs loops to their limits, or goes through whole data sets: goroutines
# meet in the other tests of these packages too.
ALONE := /cmd/|/experiments/(annotate|decompose|fidelity)|/plots/(figure|official|page|paper|style|table|terminal|versus)|/(summary|goldcheck|exact|census)$$
race:             ## the packages in which goroutines meet, under the race detector
	CGO_ENABLED=1 $(GO) test -race -skip "TestAForecastHoldsWhereArmsShareCalls|^TestHostile|OnRealData|TestSampleSuiteIsBuiltAgain|^TestRecall$$" -tags "$(TAGS)" $$($(GO) list ./... | grep -v -E '$(ALONE)')

lint:             ## gofmt, vet, staticcheck, tidy
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt would change the files above"; exit 1; }
	$(GO) vet -tags "$(TAGS)" ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags "$(TAGS)" ./...
	$(GO) mod tidy -diff

bench:            ## every benchmark
	CGO_ENABLED=1 $(GO) test -tags "$(TAGS)" -run '^$$' -bench . -benchmem ./...

clean:
	rm -rf bin dist
