package openai

import (
	"encoding/json"
	"testing"

	"assay/prompting/llm"
)

// The counts of servers that leave a part out of its whole, which would be lost from costs.
func TestUsageCountsPartsOnce(t *testing.T) {
	check := func(name, report string, prompt, completion, cached, reasoning int) {
		t.Helper()
		var u usage
		if err := json.Unmarshal([]byte(report), &u); err != nil {
			t.Fatal(err)
		}
		want := llm.Usage{PromptTokens: prompt, CompletionTokens: completion, CachedTokens: cached, ReasoningTokens: reasoning}
		if got := u.counted(); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	check("parts in their wholes", `{"prompt_tokens":50,"completion_tokens":30,"total_tokens":80,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":20}}`, 50, 30, 40, 20)
	check("reasoning beside", `{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`, 32, 103, 0, 94)
	check("reasoning beside, of a cached prompt", `{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":94}}`, 32, 103, 20, 94)
	check("reasoning beside that is not named", `{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135}`, 32, 103, 0, 94)
	check("the cached beside", `{"prompt_tokens":1,"completion_tokens":8,"total_tokens":1075,"prompt_tokens_details":{"cached_tokens":1066}}`, 1067, 8, 1066, 0)
	check("the cached and the written beside", `{"prompt_tokens":3,"completion_tokens":8,"total_tokens":61,"prompt_tokens_details":{"cached_tokens":20}}`, 53, 8, 20, 0)
	check("both beside", `{"prompt_tokens":4,"completion_tokens":8,"total_tokens":62,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":30}}`, 24, 38, 20, 30)
	check("the cached beside, without a total", `{"prompt_tokens":4,"completion_tokens":8,"prompt_tokens_details":{"cached_tokens":20}}`, 24, 8, 20, 0)
	check("more reasoning than completion", `{"prompt_tokens":4,"completion_tokens":8,"completion_tokens_details":{"reasoning_tokens":30}}`, 4, 8, 0, 8)
	check("more reasoning than completion, in a total", `{"prompt_tokens":4,"completion_tokens":8,"total_tokens":12,"completion_tokens_details":{"reasoning_tokens":9}}`, 4, 8, 0, 8)
	check("prompts that were not counted", `{"completion_tokens":8,"total_tokens":8}`, 0, 8, 0, 0)
	check("a total below its parts", `{"prompt_tokens":4,"completion_tokens":8,"total_tokens":2}`, 4, 8, 0, 0)
	check("a total beyond belief", `{"prompt_tokens":4,"completion_tokens":8,"total_tokens":1e12}`, 4, 8, 0, 0)
}
