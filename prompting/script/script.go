// Package script runs methods that are files: a folder's Starlark says what is asked and in which order, its Jinja what
// the prompts say.
//
// How a question becomes candidates:
//
//  1. [Open] reads a folder, loads method.star ([assay/prompting/script/star]) and parses the templates
//     ([assay/prompting/script/jinja]). [Folder.Row] says what an experiment may set.
//  2. [New] makes a [Part] of it for an arm and a seed: params and blocks replaced, demonstrations checked.
//  3. [Part.Answer] calls answer(q) once per sample, side by side; Link, Fix and Choose call the functions of these names.
//     Each call has a session, which the host functions find by the thread.
//  4. ask() fills a template, sends the request (samples that wait together with equal requests share one call), and gives
//     a completion, whose call is in the trace. Every request goes through the model of [assay/prompting.Deps]: no method
//     can go round ledger, limits, budget or trace.
//  5. What the function returns becomes a candidate, a question, a choice.
//
// A method must never see a gold query, read a clock but timer(), a file outside its folder, or the network, nor draw a
// number but by rand(): equal inputs make equal requests. Its files are untrusted: an error names the folder, file, line
// and item, and ends the run, not the process.
package script
