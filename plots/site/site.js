'use strict';
(() => {
const $ = (id) => document.getElementById(id);
const holder = $('site-data');
const site = holder ? JSON.parse(holder.textContent) : {};
const make = (name, text, to) => {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (to) to.append(e);
  return e;
};

// The list of runs: filters, in the address too so that a link gives the same list, and sorting.
const body = document.querySelector('#runs tbody');
const rows = body ? [...body.rows] : [];
const fields = { words: $('words'), name: $('of-name'), dataset: $('of-dataset'), state: $('of-state') };

function fits(row) {
  const words = fields.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = row.dataset.words.toLowerCase();
  return words.every((w) => text.includes(w))
    && ['name', 'dataset', 'state'].every((k) => !fields[k].value || fields[k].value === row.dataset[k]);
}

function filter() {
  let shown = 0;
  rows.forEach((row) => {
    row.hidden = !fits(row);
    if (!row.hidden) shown += 1;
  });
  $('count').textContent = `${shown} of ${rows.length} runs`;
}

function remember() {
  const to = new URLSearchParams();
  Object.entries(fields).forEach(([k, f]) => { if (f.value) to.set(k, f.value); });
  history.replaceState(null, '', to.size ? `#${to}` : location.pathname + location.search);
}

function sortBy(th, column) {
  const down = th.getAttribute('aria-sort') === 'ascending';
  th.parentNode.querySelectorAll('[aria-sort]').forEach((x) => x.removeAttribute('aria-sort'));
  th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const order = th.dataset.sort === 'number' ? (a, b) => value(a) - value(b) : (a, b) => value(a).localeCompare(value(b));
  body.append(...rows.toSorted((a, b) => (down ? -order(a, b) : order(a, b))));
}

function list() {
  const from = new URLSearchParams(location.hash.slice(1));
  Object.entries(fields).forEach(([k, f]) => {
    f.value = from.get(k) ?? '';
    if (f.value === '' && f.tagName === 'SELECT') f.selectedIndex = 0;
    f.addEventListener('input', () => { filter(); remember(); });
  });
  document.querySelectorAll('th[data-sort]').forEach((th, column) => {
    const button = make('button', th.textContent);
    button.type = 'button';
    th.replaceChildren(button);
    button.addEventListener('click', () => sortBy(th, column));
  });
  $('filters').hidden = false;
  $('filters').addEventListener('submit', (e) => e.preventDefault());
  filter();
}

// Two runs: their page in either order, or the command that compares them.
function pairs() {
  const a = $('pair-a'), b = $('pair-b'), note = $('pair-note');
  const [first] = site.pairs;
  if (first) [b.value, a.value] = first.split('--');
  $('pair').hidden = false;
  const named = (folder) => site.runs.find((r) => r.folder === folder).name;
  $('pair').addEventListener('submit', (e) => {
    e.preventDefault();
    const page = [`${a.value}--${b.value}`, `${b.value}--${a.value}`].find((p) => site.pairs.includes(p));
    if (page) {
      location.href = `diffs/${page}.html`;
      return;
    }
    if (a.value === b.value) note.replaceChildren('This is one run: choose two.');
    else if (!site.more) note.replaceChildren('These two cannot be compared: they are of different datasets or metrics, have no arm in common, or one is damaged.');
    else note.replaceChildren('These two have no page here. Where they are of one dataset and metric, this compares them: ', make('code', `assay diff ${named(a.value)} ${named(b.value)}`));
  });
}

// Search: the index of a run is a script, since a page from disk may load nothing else.
const indexes = new Map();
const waiting = new Map();
window.assaySearch = (index) => { indexes.set(index.run, index); };

function load(folder) {
  if (!waiting.has(folder)) {
    waiting.set(folder, new Promise((done) => {
      const s = document.createElement('script');
      s.src = `runs/${folder}/search.js`;
      s.onload = s.onerror = () => { s.remove(); done(indexes.get(folder)); };
      document.head.append(s);
    }));
  }
  return waiting.get(folder);
}

const most = 200;

function matches(index, words) {
  const has = (text) => { const low = text.toLowerCase(); return words.filter((w) => low.includes(w)); };
  const out = [];
  for (const item of index.items) {
    const found = new Set([...has(item.i), ...has(item.q), ...has(item.g)]);
    const answers = item.a.filter((x) => {
      const arms = x.a.map((n) => index.arms[n]).join(' ');
      const hit = has(`${x.s} ${arms} ${x.t}`);
      hit.forEach((w) => found.add(w));
      return hit.length > 0;
    });
    if (words.every((w) => found.has(w))) out.push({ item, answers });
  }
  return out;
}

function show(index, { item, answers }) {
  const li = make('li', undefined, $('results'));
  const link = make('a', item.q || item.i, li);
  link.href = `runs/${index.run}/report.html#${new URLSearchParams({ item: item.i })}`.replaceAll('+', '%20');
  make('div', `${item.i} in ${site.runs.find((r) => r.folder === index.run)?.name}`, li).className = 'notes';
  answers.slice(0, 3).forEach((x) => {
    make('span', `${x.t}: ${x.a.map((n) => index.arms[n]).join(', ')}`, li).className = 'role';
    make('code', x.s || '-', li).className = 'sql';
  });
  if (answers.length > 3) make('div', `and ${answers.length - 3} more answers`, li).className = 'notes';
}

let turn = 0;
async function search() {
  const mine = turn += 1;
  const words = $('query').value.toLowerCase().split(/\s+/).filter(Boolean);
  const one = $('search-in').value;
  const visible = new Set(rows.filter((r) => !r.hidden).map((r) => r.querySelector('a').getAttribute('href').split('/')[1]));
  const folders = site.runs.filter((r) => r.whole && (one ? r.folder === one : visible.has(r.folder))).map((r) => r.folder);
  $('results').replaceChildren();
  if (!words.length) { $('search-note').textContent = ''; return; }
  let hits = 0, left = 0, missing = 0;
  for (const [n, folder] of folders.entries()) {
    const index = await load(folder);
    if (mine !== turn) return;
    if (!index) { missing += 1; continue; }
    left += index.left;
    for (const m of matches(index, words)) {
      if (hits < most) show(index, m);
      hits += 1;
    }
    $('search-note').textContent = `${hits} items in ${n + 1} of ${folders.length} runs`
      + (hits > most ? `, of which the first ${most} are listed` : '')
      + (left ? `; ${left} items of long runs are not in the index` : '')
      + (missing ? `; ${missing} runs have no index that can be read` : '');
  }
  if (!folders.length) $('search-note').textContent = 'no run to search';
}

if (rows.length) {
  list();
  pairs();
  $('search-form').hidden = false;
  $('search-form').addEventListener('submit', (e) => { e.preventDefault(); search(); });
}
document.documentElement.dataset.ready = 'yes';
})();
