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
let series; // the settings without their seeds: {name, settings}

async function load() {
  [ix, present] = await Promise.all([block('index'), block('present')]);
  rowsOf = ix.items.map(() => []);
  ix.rows.i.forEach((item, row) => rowsOf[item].push(row));
  const at = new Map();
  ix.settings.forEach((s, i) => {
    const name = settingName(s, false);
    if (!at.has(name)) at.set(name, { name, settings: new Set() });
    at.get(name).settings.add(i);
  });
  series = [...at.values()];
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

// State: what is filtered and open, as it stands behind the address's #.

const blank = { q: '', arm: '', seed: '', status: '', level: '', db: '', flip: '', a: '', b: '', sort: '', item: '', s: '', unfold: '' };
let state = { ...blank };

function readState() {
  state = { ...blank };
  if (!location.hash.includes('=')) return;
  new URLSearchParams(location.hash.slice(1)).forEach((value, key) => { if (key in blank || /^p\d$/.test(key)) state[key] = value; });
}

function hashOf(changes) {
  const to = { ...state, ...changes };
  const parts = Object.keys(to).filter((k) => to[k] !== '').map((k) => `${k}=${encodeURIComponent(to[k]).replace(/%2F/g, '/')}`);
  return '#' + (parts.join('&') || 'items');
}

// Filter: which items, and which of their rows.

function passes(row) {
  const s = ix.settings[ix.rows.s[row]];
  return (state.arm === '' || ix.arms[s.a][0] === state.arm) && (state.seed === '' || String(s.s) === state.seed) &&
    s.p.every((v, i) => !state['p' + i] || state['p' + i] === v);
}

function flipped(item) {
  const pick = (n) => series[n === '' ? 0 : Number(n)];
  const a = pick(state.a), b = pick(state.b === '' && series.length > 1 ? 1 : state.b);
  if (!a || !b) return false;
  const of = (side, seed) => rowsOf[item].find((r) => side.settings.has(ix.rows.s[r]) && ix.settings[ix.rows.s[r]].s === seed && isScored(r));
  return seeds().filter((seed) => state.seed === '' || String(seed) === state.seed).some((seed) => {
    const x = of(a, seed), y = of(b, seed);
    if (x === undefined || y === undefined || isRight(x) === isRight(y)) return false;
    return state.flip === 'both' || (state.flip === 'ab') === isRight(x);
  });
}

const hay = []; // by item, what the search looks in

function haystack(i) {
  const t = ix.items[i];
  hay[i] ||= [t.i, t.q, t.e || '', t.g, ...new Set(rowsOf[i].map((r) => ix.sql[ix.rows.q[r]]))].join('\n').toLowerCase();
  return hay[i];
}

// filtered lists the items that pass, sorted, each with its rows.
function filtered() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const out = [];
  ix.items.forEach((t, i) => {
    if (state.db !== '' && ix.dbs[t.d] !== state.db) return;
    if (state.level !== '' && !t.l.some((l) => ix.levels[l] === state.level)) return;
    const rows = rowsOf[i].filter(passes);
    if (!rows.length || (state.status !== '' && !rows.some((r) => statusOf(r) === state.status))) return;
    if (state.flip !== '' && !flipped(i)) return;
    if (words.length && !words.every((w) => haystack(i).includes(w))) return;
    out.push({ i, rows, right: rows.filter(isRight).length / rows.length });
  });
  const order = {
    right: (x, y) => y.right - x.right, wrong: (x, y) => x.right - y.right,
    id: (x, y) => (ix.items[x.i].i < ix.items[y.i].i ? -1 : 1),
    level: (x, y) => (ix.items[x.i].l[0] ?? 99) - (ix.items[y.i].l[0] ?? 99),
    db: (x, y) => ix.items[x.i].d - ix.items[y.i].d,
  }[state.sort];
  return order ? out.sort((x, y) => order(x, y) || x.i - y.i) : out;
}

