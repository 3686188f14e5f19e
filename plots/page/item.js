// Item: one item open, several of its answers side by side.

// opened is what is known of the item that is open.
let opened;

async function showItem() {
  const i = ix.items.findIndex((t) => t.i === state.item);
  const node = byId('item');
  if (i < 0) {
    node.replaceChildren(el('header', null, bar(-1)), el('p', null, `This page has no item ${state.item}.`));
    return;
  }
  const item = ix.items[i];
  const b = await block('rows' + item.b);
  opened = { i, item, strings: b.s, kinds: b.x, of: b.i[item.k] };
  const show = shownSettings(i);
  node.replaceChildren(head(), chips(show), el('div', { class: 'panes' }, show.map(pane)));
  await Promise.all([...node.querySelectorAll('details')].map((d) => d.ready));
}

// shownSettings are the settings side by side: those asked for, or the two that are compared, or the few that are looked at, or the
// first that passes the filter.
function shownSettings(i) {
  const have = rowsOf[i].map((r) => ix.rows.s[r]);
  const asked = state.s.split('.').filter(Boolean).map(Number).filter((s) => have.includes(s));
  if (asked.length) return asked;
  const looked = passing(), rows = rowsOf[i].filter((r) => looked[ix.rows.s[r]]);
  if (state.flip !== '') {
    const both = sides().map((side) => have.find((s) => side?.settings.has(s) && (state.seed === '' || String(ix.settings[s].s) === state.seed)));
    if (both.every((s) => s !== undefined)) return [...new Set(both)];
  }
  if (state.arms !== '' && rows.length && rows.length <= 4) return rows.map((r) => ix.rows.s[r]);
  const best = rows.find(rowThat() || (() => true)) ?? rows[0];
  return best === undefined ? have.slice(0, 1) : [ix.rows.s[best]];
}

function bar(at) {
  const n = listed.findIndex((x) => x.i === at);
  const step = (by, name) => {
    const to = listed[n < 0 ? 0 : n + by];
    return el('button', { type: 'button', disabled: !to, onclick: () => openBeside(by) }, name);
  };
  return el('div', { class: 'bar' },
    el('button', { type: 'button', onclick: closeItem }, 'Close (Esc)'), step(-1, 'Previous (k)'), step(1, 'Next (j)'),
    el('button', { type: 'button', onclick: () => go({ unfold: state.unfold ? '' : 'all' }) }, state.unfold ? 'Fold' : 'Unfold all'),
    el('span', { class: 'notes' }, n < 0 ? 'not in the list as filtered' : `${n + 1} of ${listed.length}`));
}

function head() {
  const { item, of, strings } = opened;
  const named = (name, text) => (text ? el('p', null, el('span', { class: 'role' }, name + ' '), text) : null);
  const level = ix.by.flatMap((b, n) => (['hardness', 'difficulty'].includes(b.n) && groupOf(item, n) !== '(none)' ? [groupOf(item, n)] : [])).join(', ');
  return el('header', null, bar(opened.i),
    el('p', { class: 'notes' }, el('code', null, item.i), ` · database ${ix.dbs[item.d]}` + (level && ` · ${level}`)),
    el('h2', { tabindex: '-1', dir: 'auto' }, item.q ? brief(item.q, 4000) : '(the run has no question for this item)'), named('evidence', item.e && brief(item.e, 20000)), el('p', { class: 'role' }, 'gold'), el('div', { class: 'sql' }, brief(item.g, 20000)),
    named('features of the gold', strings[of.f]), named('correction', strings[of.o]), strings[of.v] ? named('gold as given', strings[of.v]) : null);
}

function chips(show) {
  const rows = rowsOf[opened.i];
  if (rows.length < 2) return '';
  const box = el('fieldset', { class: 'chips' }, el('legend', null, 'Side by side'), rows.map((r) => {
    const s = ix.rows.s[r];
    const change = () => {
      const now = show.includes(s) ? show.filter((x) => x !== s) : rows.map((x) => ix.rows.s[x]).filter((x) => x === s || show.includes(x));
      go({ s: now.join('.') });
    };
    return el('label', null, el('input', { type: 'checkbox', checked: show.includes(s), onchange: change, 'data-setting': s }), ' ', mark(statusOf(r), statusOf(r)), ' ', fullName(s));
  }));
  return rows.length > 12 ? el('details', { open: state.s !== '' }, el('summary', null, `${rows.length} answers to set side by side`), box) : box;
}

// candidate names the fields of a packed candidate.
function candidate(c, n) {
  const s = opened.strings;
  return { n, sample: c[0], generator: s[c[1]], status: ix.statuses[c[2]], sql: s[c[3]], result: c[4], chosen: c[5] === 1, rule: s[c[6]], why: s[c[7]],
    trigger: s[c[8]], tries: c[9], fixed: c[10] === 1, original: s[c[11]], originalStatus: s[c[12]] };
}

function pane(setting) {
  const { item, of, strings } = opened;
  const row = rowsOf[opened.i].find((r) => ix.rows.s[r] === setting);
  const a = of.r.find((x) => x.s === setting);
  const pool = a.c.map(candidate), dropped = (a.d || []).map(candidate);
  const best = pool.find((c) => c.chosen);
  const calls = (a.k ? a.k[0] : []).map((_, n) => ({ stage: strings[a.k[0][n]], sample: a.k[1][n], key: a.k[2][n], tokens: [a.k[3][n], a.k[4][n]].map((t) => (t < 0 ? null : t)),
    apart: [a.k[9]?.[n] || 0, a.k[10]?.[n] || 0],
    failure: strings[a.k[5][n]], note: strings[a.k[6][n]], observation: strings[a.k[7][n]], cut: strings[a.k[8][n]] === 'length' }));
  const cut = calls.filter((c) => c.cut).length;
  const scores = ix.metrics.map((m, i) => `${m} ${a.v[i] || '—'}`).join(' · ');
  const result = (n) => (n >= 0 ? of.e[n] : null);
  const out = [
    el('h3', null, fullName(setting), ' ', mark(statusOf(row), statusOf(row), statusOf(row))),
    el('p', { class: 'notes' }, `${scores} · ${tokensOf(a.t)} in ${a.q === null ? 'unknown calls' : many(a.q, 'call')}${cut ? `, ${cut} cut by length` : ''}`),
    strings[a.b] ? el('p', null, el('span', { class: 'role' }, 'choice '), strings[a.b]) : null,
    a.m ? suggested(a.m.map((m) => m.map((n) => strings[n]))) : null,
    sqlDiff('gold', item.g, 'answer', ix.sql[ix.rows.q[row]]),
  ];
  if (best) {
    const same = best.result >= 0 && best.result === of.g;
    const but = same !== isRight(row) && best.result >= 0 && of.g >= 0 ? `, and ${ix.metrics[0]} counts the answer as ${statusOf(row)}: its fingerprint, under identity, says how it compares` : '';
    out.push(facts(best), el('h3', null, 'Result rows'), same || but ? el('p', { class: 'notes' }, (same ? 'Both have the same rows' : 'The rows differ') + but + '.') : null,
      resultTables(strings, 'gold', result(of.g), 'answer', result(best.result), same));
  }
  if (pool.length > 1) out.push(poolTable(pool, a.w, calls));
  if (a.w) out.push(votes(pool, a.w));
  if (dropped.length) {
    out.push(later(`${many(dropped.length, 'candidate')} that the fixer dropped`, () => dropped.map((c) => el('div', { class: 'turn' }, named(c), ' ', mark(c.status, c.status, c.status), el('div', { class: 'sql' }, brief(c.sql, 20000) || '(no SQL)'), facts(c)))));
  }
  out.push(linked(a.n || []), schemaPart(calls, best), callPart(calls));
  return el('section', { class: 'pane', 'aria-label': fullName(setting), 'data-setting': setting }, out);
}

// suggested lists the categories that the rules suggest for a wrong answer, one per taxonomy.
const suggested = (list) => el('p', { class: 'notes' }, list.map(([source, category, rule, evidence], n) => [n ? el('br') : '', el('span', { class: 'role' }, n ? '' : 'suggested '), `${category} (${source}`,
  rule ? `; rule ${rule}${evidence ? `: ${brief(evidence, 400)}` : ''})` : '; no rule decides)']));

// tokensOfCall tells the tokens of a call, with those that its provider read from a cache, and those that are reasoning.
const tokensOfCall = (c) => [tokensOf(c.tokens), c.apart[0] ? `${c.apart[0]} cached` : '', c.apart[1] ? `${c.apart[1]} reasoning` : ''].filter((s) => s).join(', ');

// tokensOf tells the tokens of prompts and completions; null is what nobody counted.
const tokensOf = (t) => (t.every((n) => n === null) ? 'unknown tokens' : `${t[0] ?? 'unknown'} + ${t[1] ?? 'unknown'} tokens`);

const named = (c) => [c.generator, `sample ${c.sample}`].filter(Boolean).join(', ');

// facts tells how a candidate's SQL was found, why it has its status, and what the fixer did.
function facts(c) {
  const found = [c.why && `${c.status}: ${brief(c.why, 4000)}`, c.rule && `found in the completion by ${c.rule}`].filter(Boolean).join(' · ');
  const out = [found ? el('p', { class: 'notes' }, found) : null];
  if (c.trigger) {
    out.push(el('p', null, el('span', { class: 'role' }, 'fixer '), `called because the query ${{ error: 'failed', empty: 'returned nothing' }[c.trigger] || c.trigger}; `,
      `${many(c.tries, 'attempt')}; ${c.fixed ? 'mended' : 'not mended'}`));
    if (c.original && c.original !== c.sql) out.push(sqlDiff(`before (${c.originalStatus})`, c.original, 'after', c.sql));
  }
  return el('div', null, out);
}

// leads tells whether a call led to a candidate: one of its generator, of its sample or shared by all samples.
function leads(call, c) {
  const m = /^(.*?): (.*)$/.exec(call.stage);
  const stage = m ? m[2] : call.stage;
  return stage !== 'choose' && (!m || m[1] === c.generator) && (call.sample === c.sample || (call.sample === 0 && stage !== 'generate' && !/^(fix|turn) /.test(stage)));
}

function poolTable(pool, w, calls) {
  const { of, strings } = opened;
  const clusters = [...new Set(pool.map((c) => c.result).filter((r) => r >= 0))];
  const cluster = (c) => (c.result < 0 ? '—' : String.fromCharCode(65 + clusters.indexOf(c.result) % 26) + (clusters.indexOf(c.result) > 25 ? Math.floor(clusters.indexOf(c.result) / 26) : '') + (c.result === of.g ? ' = gold' : ''));
  const won = pool.map(() => [0, 0]);
  if (w) w[0].forEach((a, v) => [a, w[1][v]].forEach((n) => { if (won[n]) { won[n][1]++; won[n][0] += w[2][v] === n ? 1 : 0; } }));
  const more = (c) => [sqlDiff('gold', opened.item.g, 'candidate', c.sql), facts(c), resultTables(strings, 'gold', of.e[of.g], 'candidate', of.e[c.result], of.g === c.result),
    calls.filter((k) => leads(k, c)).map(callDetails)];
  return el('div', null, el('h3', null, `${many(pool.length, 'candidate')}, ${many(clusters.length, 'different result')}`),
    el('table', { class: 'pool' },
      el('thead', null, el('tr', null, ['', 'from', 'result', 'status', w ? 'won' : null, 'SQL'].filter((h) => h !== null).map((h) => el('th', { scope: 'col' }, h)))),
      el('tbody', null, pool.map((c) => el('tr', { class: c.chosen ? 'chosen' : null },
        el('td', null, `${c.n + 1}${c.chosen ? ' ← chosen' : ''}`), el('td', null, named(c)), el('td', null, cluster(c)),
        el('td', null, mark(c.status, c.status, c.status), c.fixed ? ' mended' : c.trigger ? ' not mended' : ''),
        w ? el('td', null, `${won[c.n][0]} of ${won[c.n][1]}`) : null,
        el('td', { class: 'sqlcell' }, later(el('code', null, brief(c.sql, 2000) || '(no SQL)'), () => more(c))))))));
}

function votes(pool, w) {
  const { strings } = opened;
  const n = w[0].length;
  return later(`${many(n, 'comparison')} of candidates`, () => {
    const cells = pool.map(() => pool.map(() => [0, 0]));
    w[0].forEach((a, v) => {
      const b = w[1][v];
      if (!cells[a] || !cells[b]) return;
      for (const [x, y] of [[a, b], [b, a]]) { cells[x][y][1]++; cells[x][y][0] += w[2][v] === x ? 1 : 0; }
    });
    const matrix = el('table', { class: 'votes' }, el('caption', null, 'how often the row won against the column'),
      el('tr', null, el('th', null, ''), pool.map((c) => el('th', { scope: 'col' }, c.n + 1))),
      cells.map((row, i) => el('tr', null, el('th', { scope: 'row' }, i + 1), row.map((c) => el('td', null, c[1] ? `${c[0]}/${c[1]}` : '')))));
    const asked = w[0].map((a, v) => v).filter((v) => w[4][v] >= 0);
    const one = (v) => later(`${w[0][v] + 1} against ${w[1][v] + 1}: ${w[2][v] < 0 ? 'no answer could be read' : `${w[2][v] + 1} won`} (${strings[w[3][v]]})`, () => exchange(w[4][v]));
    return [el('div', { class: 'wide' }, matrix), asked.length ? later(`${asked.length} decided by the model`, () => asked.map(one)) : null];
  });
}

// linked shows the values found and the columns chosen for the question.
function linked(links) {
  const s = opened.strings;
  const list = (text) => { try { const x = JSON.parse(text); return Array.isArray(x) ? x.filter(Array.isArray) : []; } catch { return []; } };
  return links.map(([stage, values, chosen, shown]) => later(`${s[stage]}: ${s[values] ? `${many(list(s[values]).length, 'value')} found` : `${many(list(s[chosen]).length, 'column')} chosen, ${list(s[shown]).length || 'all'} shown`}`, () => [
    s[values] ? tableOf(['table', 'column', 'value'], list(s[values])) : null, s[chosen] ? el('p', null, 'chosen: ' + list(s[chosen]).map((c) => c.join('.')).join(', ')) : null,
    s[shown] ? el('p', null, 'shown: ' + list(s[shown]).map((c) => c.join('.')).join(', ')) : null]));
}

// schemaPart shows the schema as the prompt of the answer's query has it.
function schemaPart(calls, best) {
  const { item, kinds } = opened;
  const mine = calls.filter((c) => c.key >= 0 && (!best || leads(c, best)));
  if (!mine.length || !ix.tables[item.d].length) return null;
  const first = mine.filter((c) => /generate$/.test(c.stage)).concat(mine);
  return later('Schema, as the prompt shows it', async () => {
    for (const c of first.slice(0, 6)) {
      const p = await texts(item.b, kinds[c.key], c.key, true);
      if (p.none) return el('p', { class: 'notes' }, `The prompt is ${p.none}.`);
      const found = p.turns.map((t) => schemaIn(t.text, ix.tables[item.d])).filter(Boolean).pop();
      if (found) return [el('p', { class: 'notes' }, `in the prompt of the call ${c.stage}, sample ${c.sample}`), long(found)];
    }
    return el('p', { class: 'notes' }, 'The prompts name no table of the database in a form that is known here.');
  });
}

// callPart shows the calls in order: turns with tools as a dialogue, the others by stage.
function callPart(calls) {
  if (!calls.length) return null;
  const talks = new Map(), stages = new Map();
  calls.forEach((c) => {
    const turn = /^(.*?)turn \d+$/.exec(c.stage);
    const [to, key] = turn ? [talks, `${turn[1]}sample ${c.sample}`] : [stages, c.stage];
    if (!to.has(key)) to.set(key, []);
    to.get(key).push(c);
  });
  const out = [el('h3', null, 'Prompts and completions')];
  talks.forEach((turns, name) => out.push(later(`dialogue (${name}), ${many(turns.length, 'turn')}`, () => dialogue(turns), talks.size === 1)));
  stages.forEach((list, name) => out.push(list.length > 1 ? later(`${name}: ${many(list.length, 'call')}`, () => list.map(callDetails)) : callDetails(list[0])));
  return el('div', null, out);
}

async function dialogue(turns) {
  const out = [turns[0].key >= 0 ? later('the prompt that it begins with', () => promptOf(turns[0].key)) : null];
  for (const [n, c] of turns.entries()) {
    const t = c.key >= 0 ? await texts(opened.item.b, opened.kinds[c.key], c.key, false) : { none: c.failure };
    out.push(el('div', { class: 'turn' }, el('p', { class: 'role' }, `turn ${n + 1}, ${tokensOfCall(c)}${c.cut ? ', cut by length' : ''}`),
      t.none ? el('p', null, `(the completion is ${t.none})${c.note ? ` ${c.note}` : ''}`) : spoken(t.text), /^not taken: |\(end: /.test(c.note) ? el('p', { class: 'notes' }, c.note) : null,
      c.observation ? el('pre', null, el('b', null, 'Observation: '), c.observation) : null));
  }
  return out;
}

const callDetails = (c) => later([`${c.stage}, sample ${c.sample} · ${tokensOfCall(c)}${c.cut ? ', cut by length' : ''}`, c.note ? ` · ${c.note.split('\n')[0].slice(0, 90)}` : ''].join(''), async () => [
  c.note && (c.note.includes('\n') || c.note.length > 90) ? el('pre', null, c.note) : null, c.failure ? el('p', null, `no completion: ${c.failure}`) : null,
  ...(c.key >= 0 && !c.failure ? await exchange(c.key) : []), c.observation ? el('pre', null, el('b', null, 'Observation: '), c.observation) : null]);

async function promptOf(key) {
  const p = await texts(opened.item.b, opened.kinds[key], key, true);
  return p.none ? [el('p', { class: 'notes' }, `The prompt is ${p.none}.`)] : p.turns.flatMap((t) => [el('p', { class: 'role' }, t.role), long(t.text)]);
}

async function exchange(key) {
  const t = await texts(opened.item.b, opened.kinds[key], key, false);
  const answer = t.none ? el('p', { class: 'notes' }, `The completion is ${t.none}.`) : long(t.text, 'completion');
  return [...await promptOf(key), el('p', { class: 'role' }, t.none ? 'completion' : `completion (${t.finish || 'end'})`), answer];
}

