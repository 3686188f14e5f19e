package main

import (
	"context"
	"maps"
	"slices"

	"assay/configs"
	"assay/experiments/catalog"
	"assay/experiments/record"
	"assay/plots/page"
	"assay/plots/site"
)

// mostSitePrompts bounds the example prompts of a run.
const mostSitePrompts = 60

// siteSources gathers the copies that a run's folder has of its methods, and an item's prompts under each arm.
func (a *app) siteSources(ctx context.Context, of site.Run) (site.Sources, error) {
	r, err := record.Read(of.Dir, catalog.Known)
	if err != nil {
		return site.Sources{}, err
	}
	out := site.Sources{}
	if out.Files, err = sourceFiles(r); err != nil {
		return site.Sources{}, err
	}
	if len(out.Files) == 0 {
		out.Notes = append(out.Notes, "The run's folder has no copies of sources: its methods are built in, or its answers were imported.")
	}
	err = a.withPage(ctx, r, []string{of.Dir}, pageSize, func(p page.Page) error {
		if p.Texts == nil {
			out.Notes = append(out.Notes, "Prompts are missing: "+p.NoTexts+".")
			return nil
		}
		return sourcePrompts(r, p.Texts, &out)
	})
	return out, err
}

// sourceFiles lists the copies, each with the arms and roles that use it.
func sourceFiles(r *record.Run) (out []site.File, err error) {
	at := map[string]int{}
	for _, arm := range r.Resolved.Arms {
		for _, use := range roles(r, arm) {
			files, err := copied(r, use.id)
			if err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				full := configs.PartName(use.id) + "/" + name
				i, known := at[use.id+"\x00"+name]
				if !known {
					i, at[use.id+"\x00"+name] = len(out), len(out)
					out = append(out, site.File{Name: full, Text: files[name]})
				}
				out[i].Uses = append(out[i].Uses, arm.Name+": "+use.name)
			}
		}
	}
	return out, nil
}

// sourcePrompts adds the prompts of the first item for which each arm made calls, one per stage.
func sourcePrompts(r *record.Run, texts page.Texts, out *site.Sources) error {
	for _, s := range r.Index().Series {
		i := slices.IndexFunc(s.Answers, func(a *record.Answer) bool { return len(a.Calls) > 0 })
		if i < 0 {
			continue
		}
		item := s.Answers[i].Item.Item
		first := calls(s, item)
		for _, stage := range slices.Sorted(maps.Keys(first)) {
			if len(out.Prompts) == mostSitePrompts {
				out.Notes = append(out.Notes, "More prompts than are shown here are on the page of tables, figures and items.")
				return nil
			}
			x, ok, err := texts(first[stage].Key, true)
			if err != nil {
				return err
			}
			if ok {
				out.Prompts = append(out.Prompts, site.Prompt{Arm: armAt(s.Arm, r.Manifest.Axes, s.Point), Item: item, Stage: stage, Messages: x.Messages})
			}
		}
	}
	return nil
}
