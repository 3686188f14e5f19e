// Two calls with Node's own fetch: a draft of the SQL, and a second look at it. Calls: 2 a sample.
//
// assay starts this program, writes one line of JSON per question to its standard input, and reads one line of JSON from its
// standard output. The first line says that the program is ready, and which version it is.

import { createInterface } from "node:readline";

const DRAFT = `You turn questions about a database into SQLite queries.
Reply with one SQLite query that answers the question, and with nothing else: no explanation, no code fence.`;

const LOOK = `You look at a SQLite query that was written for a question. If it answers the question, repeat it as it is; otherwise
correct it. Reply with one SQLite query and with nothing else: no explanation, no code fence.`;

async function ask(item, stage, messages) {
  const response = await fetch(`${item.base_url}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${item.api_key}`, "X-Assay-Stage": stage },
    body: JSON.stringify({ model: item.model, messages }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${body.error?.message}`);
  return body.choices[0].message.content;
}

async function answer(item) {
  const facts = item.evidence ? `-- External Knowledge: ${item.evidence}\n` : "";
  const user = `${item.schema}\n\n${facts}-- Using valid SQLite, answer the question below for the tables given above.\n-- ${item.question}`;
  const draft = await ask(item, "draft", [{ role: "system", content: DRAFT }, { role: "user", content: user }]);
  if (item.params.look === false) return { id: item.id, candidates: [draft] };
  const look = await ask(item, "look", [
    { role: "system", content: LOOK },
    { role: "user", content: `${user}\n\nThe query:\n${draft}` },
  ]);
  const sources = [{ sql: look, source: "look" }, { sql: draft, source: "draft" }];
  return { id: item.id, candidates: sources, chosen: 0, note: look === draft ? "kept" : "corrected" };
}

console.log(JSON.stringify({ ready: true, version: "1" }));
for await (const line of createInterface({ input: process.stdin })) {
  const item = JSON.parse(line);
  const out = await answer(item).catch((e) => ({ id: item.id, error: String(e.message) }));
  console.log(JSON.stringify(out));
}
