// Package columns reads which columns of a schema a model's answer, or a question, names.
//
// A part that chooses columns asks the model; [Parse] and [Relevant] read its answers, [Named] adds the columns that the
// question itself names, and [Format] writes a choice down. What a text names and the schema has not is passed over: an
// answer that cannot be read must never remove a column, nor add one.
package columns
