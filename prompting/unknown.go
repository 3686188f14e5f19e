package prompting

import (
	"context"
	"errors"
)

// ErrUnknown is the error of a model that gives only the completions it holds. A method that meets it goes on with what
// does not depend on the missing completion (other samples, other generators, the rest of calls made at once), then returns
// it, with the trace of its calls where it makes several at once. So every request that it makes before it returns is
// certain, whatever a model will answer.
var ErrUnknown = errors.New("prompting: the completion is not known")

// Unknown is the ErrUnknown of several samples asked for at once, where the model knows the others: they are in its
// responses, which have one for every sample.
type Unknown struct{ Samples []int } // the numbers of the samples whose completions are not known

// Error implements error.
func (u *Unknown) Error() string { return ErrUnknown.Error() }

// Is reports whether the target is ErrUnknown.
func (u *Unknown) Is(target error) bool { return target == ErrUnknown }

type stageKey struct{}

// At names the stage of the calls under ctx. Within a stage named before it is a part of that: "dc-cot", then "generate",
// is "dc-cot: generate". Who makes a call names its stage so, since a request does not say it.
func At(ctx context.Context, stage string) context.Context {
	if outer := Stage(ctx); outer != "" {
		stage = outer + ": " + stage
	}
	return context.WithValue(ctx, stageKey{}, stage)
}

// Stage returns the stage of calls under ctx, as Call.Stage has it; empty where none is named.
func Stage(ctx context.Context) string {
	stage, _ := ctx.Value(stageKey{}).(string)
	return stage
}
