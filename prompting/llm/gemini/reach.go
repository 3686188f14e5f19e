package gemini

import (
	"context"

	"assay/prompting/llm"
)

var _ llm.Reacher = (*Client)(nil)

// Reach implements [llm.Reacher].
func (c *Client) Reach(ctx context.Context) error { return c.wire.Reach(ctx, c.key, c.base) }
