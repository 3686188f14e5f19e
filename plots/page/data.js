// Data: the page's blocks, each unpacked when it is first asked for.

const byId = (id) => document.getElementById(id);
const unpacked = new Map();

// block promises a block's value, null where the page has no such block.
function block(id) {
  if (!unpacked.has(id)) unpacked.set(id, unpack(byId(id)));
  return unpacked.get(id);
}

async function unpack(node) {
  if (!node) return null;
  const raw = atob(node.textContent);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

let ix; // the index
let present; // by tier, how many groups have its texts on the page
let rowsOf; // by item, the positions of its rows in ix.rows
let series; // the settings without their seeds: {name, title, short, settings}
let seriesOf; // by setting, its position in series

async function load() {
  [ix, present] = await Promise.all([block('index'), block('present')]);
  rowsOf = ix.items.map(() => []);
  ix.rows.i.forEach((item, row) => rowsOf[item].push(row));
  const at = new Map();
  seriesOf = [];
  ix.settings.forEach((s, i) => {
    const name = settingName(s, false);
    const label = ix.arms[s.a][1];
    if (!at.has(name)) at.set(name, { name, title: label === ix.arms[s.a][0] ? name : `${name} (${label})`, short: shortName(s), settings: new Set() });
    at.get(name).settings.add(i);
  });
  series = [...at.values()];
  series.forEach((s, n) => s.settings.forEach((i) => { seriesOf[i] = n; }));
}

const statusOf = (row) => ix.statuses[ix.rows.t[row]];
const isRight = (row) => statusOf(row) === 'correct';
const isScored = (row) => !['model-error', 'gold-error'].includes(statusOf(row));
const seeds = () => [...new Set(ix.settings.map((s) => s.s))];

function settingName(s, seeded) {
  const words = [ix.arms[s.a][0], ...s.p.map((v, i) => `${ix.axes[i]} ${v}`)];
  if (seeded) words.push(`seed ${s.s}`);
  return words.join(', ');
}

// shortName is the name at the head of a narrow column: without the axes' names where the arm's is needed.
const shortName = (s) => (s.p.length && ix.arms.length > 1 ? [ix.arms[s.a][0], ...s.p].join(', ') : s.p.length ? s.p.map((v, i) => `${ix.axes[i]} ${v}`).join(', ') : ix.arms[s.a][0]);

const fullName = (setting) => settingName(ix.settings[setting], seeds().length > 1);

// texts promises a text of a group's key: the value, or why there is none.
async function texts(group, kind, key, prompt) {
  const tier = prompt ? [0, 3, 4][kind] : [0, 1, 2][kind];
  if (group >= present[tier]) return { none: 'left off this page' };
  const b = await block(`texts${tier}-${group}`);
  if (b && !b.at) b.at = new Map(b.k.map((k, i) => [k, i]));
  const i = b ? b.at.get(key) : undefined;
  if (i === undefined) return { none: 'not in the ledger' };
  const text = (n) => b.t[n].map((c) => b.c[c]).join('');
  if (!prompt) return { text: text(b.a[i][0]), finish: b.w[b.a[i][1]] };
  const turns = [];
  for (let n = 0; n < b.p[i].length; n += 2) turns.push({ role: b.w[b.p[i][n]], text: text(b.p[i][n + 1]) });
  return { turns };
}

// groupOf returns an item's group of the axis so many in ix.by.
const groupOf = (item, n) => ix.by[n].g[ix.kinds[item.l][n]];

// errorOf returns a row's suggested category under the taxonomy so many in ix.errors; undefined for none.
const errorOf = (row, n) => ix.errors[n].c[ix.rows.e[n][row]]?.[0];
