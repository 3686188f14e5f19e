package openai

import "slices"

// Server is what is known of one kind of server that speaks this API: where it is, and how it departs from OpenAI's own. A
// field of a request is named by its path, "reasoning.effort".
type Server struct {
	ID    string // the provider's name in experiments
	Shows string // a line of help

	BaseURL string // where it answers if the experiment gives no address; empty if it has no such place
	Own     bool   // BaseURL is a service that is the same for everyone, and not this machine's
	KeyEnv  string // the variable that holds the key if the experiment names none; empty: it needs none
	Domain  string // the end of the host names at which an address of the experiment's is given the key of KeyEnv; empty: at none
	Header  string // carries the key itself; empty: Authorization, as a bearer's

	Effort string // takes an effort of reasoning; empty: it cannot be sent
	Budget string // takes a budget of reasoning, in tokens; empty: it cannot be sent

	// Reads are the fields that it reads. It drops others without a word, so that a warning must say so; nil: it refuses them.
	Reads   []string
	Alone   bool   // it gives one completion per call
	Batches bool   // it answers batches
	Seeds   bool   // it honours a seed, though no fingerprint, or a constant one, goes with the answer
	Cuts    string // says what becomes of a prompt beyond its window, if it is cut without an error
}

// Servers has a row per kind of server. The first is OpenAI's own and every other that its row's name is used for.
//
// The rows rest on the servers' documentation and source; those of llama.cpp were tried against a server (build 11669).
var Servers = []Server{
	{
		ID: "openai", Shows: "OpenAI, and by `model.base_url` any other server that speaks its chat completions or plain completions",
		BaseURL: DefaultBaseURL, Own: true, KeyEnv: DefaultKeyEnv, Effort: "reasoning_effort", Batches: true,
	},
	{
		ID: "ollama", Shows: "Ollama, on this machine's port 11434 unless `model.base_url` says otherwise",
		BaseURL: "http://127.0.0.1:11434/v1", Effort: "reasoning_effort",
		Reads: slices.Concat(common, []string{"reasoning_effort", "reasoning", "tool_choice"}),
		Alone: true, Seeds: true,
		Cuts: "Ollama cuts a prompt to the window that it has loaded the model with, without an error: raise num_ctx in the Modelfile, or OLLAMA_CONTEXT_LENGTH",
	},
	{
		ID: "llamacpp", Shows: "llama.cpp's llama-server, on this machine's port 8080 unless `model.base_url` says otherwise",
		BaseURL: "http://127.0.0.1:8080/v1", Effort: "reasoning_effort", Budget: "reasoning_budget_tokens",
		Reads: slices.Concat(common, sampling, []string{"n", "top_logprobs", "logit_bias", "tool_choice", "parallel_tool_calls", "max_completion_tokens",
			"repeat_penalty", "repeat_last_n", "typical_p", "top_n_sigma", "dynatemp_range", "dynatemp_exponent", "xtc_probability", "xtc_threshold",
			"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers", "mirostat", "mirostat_tau", "mirostat_eta",
			"adaptive_target", "adaptive_decay", "samplers", "grammar", "grammar_lazy", "json_schema", "ignore_eos", "n_predict", "n_keep", "n_discard", "n_probs",
			"n_indent", "min_keep", "cache_prompt", "id_slot", "lora", "t_max_predict_ms", "post_sampling_probs", "timings_per_token", "return_tokens",
			"chat_template_kwargs", "reasoning_format", "reasoning_control", "reasoning_budget_tokens", "reasoning_budget_message", "thinking_forced_open",
			"reasoning_effort", "add_generation_prompt", "continue_final_message", "backend_sampling"}),
	},
	{
		ID: "vllm", Shows: "vLLM, on this machine's port 8000 unless `model.base_url` says otherwise; a budget needs its --reasoning-config",
		BaseURL: "http://127.0.0.1:8000/v1", Effort: "reasoning_effort", Budget: "thinking_token_budget", Seeds: true,
		Reads: slices.Concat(common, sampling, []string{"n", "best_of", "top_logprobs", "logit_bias", "tool_choice", "parallel_tool_calls", "max_completion_tokens",
			"repetition_penalty", "length_penalty", "use_beam_search", "stop_token_ids", "include_stop_str_in_output", "ignore_eos", "min_tokens",
			"skip_special_tokens", "spaces_between_special_tokens", "truncate_prompt_tokens", "truncation_side", "prompt_logprobs", "logprob_token_ids",
			"allowed_token_ids", "bad_words", "echo", "add_generation_prompt", "continue_final_message", "add_special_tokens", "documents", "chat_template",
			"chat_template_kwargs", "structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar", "priority", "request_id",
			"session_id", "return_tokens_as_token_ids", "return_token_ids", "cache_salt", "vllm_xargs", "repetition_detection", "logits_processors",
			"reasoning_effort", "thinking_token_budget", "include_reasoning", "watermarking"}),
	},
	{
		ID: "openrouter", Shows: "OpenRouter, which passes a request on to one of several services; `extra.provider` says to which",
		BaseURL: "https://openrouter.ai/api/v1", Own: true, KeyEnv: "OPENROUTER_API_KEY", Effort: "reasoning.effort", Budget: "reasoning.max_tokens",
		Alone: true,
	},
	{
		ID: "azure", Shows: "Azure's OpenAI: `model.base_url` is https://NAME.openai.azure.com/openai/v1, or a deployment's address with its ?api-version",
		KeyEnv: "AZURE_OPENAI_API_KEY", Domain: ".azure.com", Header: "api-key", Effort: "reasoning_effort", Batches: true,
	},
}

// common are the fields that every server reads.
var common = []string{"model", "messages", "prompt", "suffix", "temperature", "top_p", "max_tokens", "stop", "seed", "stream", "stream_options", "logprobs",
	"tools", "response_format", "frequency_penalty", "presence_penalty", "user"}

// sampling are the fields of samplers that the servers of open weights share.
var sampling = []string{"top_k", "min_p"}

// FindServer returns the row of that name; ok is false if there is none.
func FindServer(id string) (s Server, ok bool) {
	i := slices.IndexFunc(Servers, func(s Server) bool { return s.ID == id })
	if i < 0 {
		return Server{}, false
	}
	return Servers[i], true
}

// Owned returns the fields of a request that have a key of their own, with that key as experiments name it; empty of one
// that is set by this package alone.
func (s Server) Owned() map[string]string {
	out := map[string]string{"top_k": "model.top_k", "top_p": "model.top_p", "temperature": "model.temperature", "stop": "model.stop", "seed": "model.seed",
		"max_tokens": "model.max_tokens", "max_completion_tokens": "model.max_tokens", "n": "model.samples", "logprobs": "model.logprobs", "model": "model.name"}
	for _, field := range owned {
		if out[field] == "" {
			out[field] = ""
		}
	}
	for _, field := range []string{s.Effort, s.Budget} {
		if field != "" {
			out[field] = "model.reasoning"
		}
	}
	return out
}
