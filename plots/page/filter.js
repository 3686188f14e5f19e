
// State: what is filtered and open, as it stands behind the address's #.

const blank = { q: '', arms: '', seed: '', outcome: '', status: '', error: '', hardness: '', difficulty: '', feature: '', db: '', flip: '', a: '', b: '', sort: '', item: '', s: '', unfold: '' };
let state = { ...blank };

function readState() {
  state = { ...blank };
  if (!location.hash.includes('=')) return;
  new URLSearchParams(location.hash.slice(1)).forEach((value, key) => { if (key in blank || /^p\d+$/.test(key)) state[key] = value; });
}

function hashOf(changes) {
  const to = { ...state, ...changes };
  const parts = Object.keys(to).filter((k) => to[k] !== '').map((k) => `${k}=${encodeURIComponent(to[k]).replace(/%(2F|3A|2C)/g, decodeURIComponent)}`);
  return '#' + (parts.join('&') || 'items');
}

// The filters that are lists: arms are positions in series, features are "joins:2+".

const featureList = () => state.feature.split(',').filter(Boolean);

// chosenSeries returns the series that are looked at, all where none is chosen.
function chosenSeries() {
  const asked = new Set(state.arms.split('.').map(Number));
  return [...series.keys()].filter((n) => state.arms === '' || (state.arms !== 'none' && asked.has(n)));
}

// passing tells of each setting whether its rows are looked at.
function passing() {
  const chosen = new Set(chosenSeries());
  return ix.settings.map((s, i) => chosen.has(seriesOf[i]) && (state.seed === '' || String(s.s) === state.seed) && s.p.every((v, n) => !state['p' + n] || state['p' + n] === v));
}

// kindsThat tells of each kind of items whether it is in the groups asked for.
function kindsThat() {
  const asked = featureList().map((f) => f.split(':'));
  ['hardness', 'difficulty'].forEach((name) => { if (state[name] !== '') asked.push([name, state[name]]); });
  const wanted = asked.map(([name, group]) => [ix.by.findIndex((b) => b.n === name), group]);
  return ix.kinds.map((kind) => wanted.every(([n, group]) => n < 0 || ix.by[n].g[kind[n]] === group));
}

// mixed tells whether some of the rows for which of gives one value are right, and some wrong.
function mixed(rows, of) {
  const at = new Map();
  return rows.some((r) => isScored(r) && (at.get(of(r)) ?? at.set(of(r), isRight(r)).get(of(r))) !== isRight(r));
}

// outcomes tell by an item's rows, as summed up, whether it is shown. Answers of two seeds are no disagreement of arms.
const outcomes = {
  __proto__: null, // the address may hold any name
  wrong: ['all wrong', (x) => x.scored > 0 && x.right === 0],
  right: ['all right', (x) => x.scored > 0 && x.right === x.scored],
  differ: ['arms disagree', (x) => mixed(x.rows, (r) => ix.settings[ix.rows.s[r]].s)],
  seeds: ['seeds disagree', (x) => mixed(x.rows, (r) => seriesOf[ix.rows.s[r]])],
};

// rowThat returns the test that one of an item's rows must pass; null where nothing is asked of it.
function rowThat() {
  const status = ix.statuses.indexOf(state.status);
  const [id, category] = state.error.split(':');
  const n = ix.errors.findIndex((t) => t.n === id);
  if (state.status === '' && n < 0) return null;
  return (row) => (state.status === '' || ix.rows.t[row] === status) && (n < 0 || errorOf(row, n) === category);
}

// sides are the two series that a flip compares.
const sides = () => [state.a === '' ? 0 : Number(state.a), state.b === '' ? 1 : Number(state.b)].map((n) => series[n]);

function flipped(item) {
  const [a, b] = sides();
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
  hay[i] ??= [t.i, t.q, t.e || '', t.g, ...new Set(rowsOf[i].map((r) => ix.sql[ix.rows.q[r]]))].join('\n').toLowerCase();
  return hay[i];
}

// summed adds up an item's rows: those that are scored, and of them the right ones.
function summed(i, rows) {
  const scored = rows.filter(isScored).length, right = rows.filter(isRight).length;
  return { i, rows, scored, right, share: scored ? right / scored : -1 };
}

// filtered lists the items that pass, sorted, each with its rows.
function filtered() {
  const asked = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const looked = passing(), kinds = kindsThat(), row = rowThat(), outcome = outcomes[state.outcome];
  const db = state.db === '' ? -1 : ix.dbs.indexOf(state.db);
  const out = [];
  ix.items.forEach((t, i) => {
    if ((state.db !== '' && t.d !== db) || !kinds[t.l]) return;
    const x = summed(i, rowsOf[i].filter((r) => looked[ix.rows.s[r]]));
    if (!x.rows.length || (outcome && !outcome[1](x)) || (row && !x.rows.some(row))) return;
    if ((state.flip !== '' && !flipped(i)) || !asked.every((w) => haystack(i).includes(w))) return;
    out.push(x);
  });
  const order = orders[state.sort]?.[1];
  return order ? out.sort((x, y) => order(x, y) || x.i - y.i) : out;
}

// levelOf is an item's place on the axis of that name, last where it has none.
function levelOf(x, name) {
  const n = ix.by.findIndex((b) => b.n === name);
  return n < 0 ? 0 : ix.kinds[ix.items[x.i].l][n];
}

const orders = {
  __proto__: null,
  wrong: ['least right first', (x, y) => x.share - y.share],
  right: ['most right first', (x, y) => y.share - x.share],
  differ: ['most disagreement first', (x, y) => Math.abs(x.share - 0.5) - Math.abs(y.share - 0.5)],
  hardness: ['hardness', (x, y) => levelOf(x, 'hardness') - levelOf(y, 'hardness')],
  difficulty: ['difficulty', (x, y) => levelOf(x, 'difficulty') - levelOf(y, 'difficulty')],
  db: ['database', (x, y) => ix.items[x.i].d - ix.items[y.i].d],
  id: ['id', (x, y) => (ix.items[x.i].i < ix.items[y.i].i ? -1 : 1)],
};
