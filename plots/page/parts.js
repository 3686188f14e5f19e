// Parts: what is on the page, made of text and never of HTML.

// hidden are the characters that are not seen where they stand, or turn the text after them round: those of Go's
// terminal.Hidden.
const hidden = /(?![\n\t]|\r\n|[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]/gu;

// visible writes such characters of a text as escapes, and leaves nodes as they are.
function visible(child) {
  if (typeof child !== 'string') return child;
  return child.replace(hidden, (c) => [...Array(c.length).keys()].map((i) => '\\u' + c.charCodeAt(i).toString(16).padStart(4, '0')).join(''));
}

// el makes an element. Properties that begin with "on" are listeners; children are nodes, or become text.
function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (k.startsWith('on')) node.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) node.setAttribute(k, v === true ? '' : k === 'href' || k === 'value' ? v : visible(v));
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== '').map(visible));
  return node;
}

// later makes details that are filled when they are first opened, which is at once where everything is unfolded.
function later(summary, fill, open) {
  const node = el('details', { open: open || state.unfold !== '' }, el('summary', null, summary));
  let filled = false;
  const show = async () => {
    if (filled || !node.open) return;
    filled = true;
    try {
      node.append(...[await fill()].flat(Infinity).filter(Boolean));
    } catch (e) {
      node.append(el('p', null, `This cannot be shown: ${e.message}`));
    }
  };
  node.addEventListener('toggle', show);
  node.ready = show();
  return node;
}

// cut is the place so many characters into a text, moved where it would part a pair of surrogates.
const cut = (text, at) => (/[\ud800-\udbff]/.test(text[at - 1] || '') ? at - 1 : at);

// brief shortens a text that is shown in one piece.
const brief = (text, length) => (text && text.length > length ? `${text.slice(0, cut(text, length))} … (${text.length} characters)` : text);

// long shows a text to scroll in, at first only as much as a browser lays out at once, since a completion may have megabytes.
function long(text, name, show = (part) => part) {
  const first = 50_000, step = 500_000;
  let shown = Math.min(text.length, cut(text, first));
  const node = el('pre', { class: name, tabindex: '0' }, show(text.slice(0, shown)));
  if (shown === text.length) return node;
  const button = el('button', { type: 'button' });
  const label = () => { button.textContent = `Show more: ${shown} of ${text.length} characters are shown`; };
  button.addEventListener('click', () => {
    const to = Math.min(text.length, cut(text, shown + step));
    node.append(visible(text.slice(shown, to)));
    shown = to;
    if (shown === text.length) button.remove();
    else label();
  });
  label();
  return [node, button];
}

const many = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

const letters = { correct: '✓', wrong: '✗', 'no-sql': '∅', 'sql-error': 'E', 'sql-timeout': 'T', rejected: 'R', 'model-error': 'M', 'gold-error': 'G' };

const mark = (status, label, text) => el('span', { class: `mark ${status}`, role: 'img', title: label, 'aria-label': label }, text || letters[status] || status);

// words cuts SQL into what a difference is made of.
const words = (sql) => sql.match(/'(?:[^']|'')*'?|"[^"]*"?|`[^`]*`?|[\p{L}\p{N}_.]+|\s+|[^\s]/gu) || [];

// common tells which words of a and b stand in both, in order: the longest common subsequence.
function common(a, b, same) {
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = same(a[i], b[j]) ? length[(i + 1) * width + j + 1] + 1 :
        Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const inA = new Set(), inB = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (same(a[i], b[j])) { inA.add(i++); inB.add(j++); }
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  return [inA, inB];
}

// sqlDiff shows two queries, with the words that only one has marked. Case outside quotes, and spaces, are no difference.
function sqlDiff(fromName, from, toName, to) {
  if (Math.max(from.length, to.length) > 20_000) { // a difference is for reading
    return el('div', { class: 'diff' }, [[fromName, from], [toName, to]].map(([name, sql]) => [el('p', { class: 'role' }, name), long(sql || '(no SQL)')]));
  }
  const a = words(from), b = words(to);
  const key = (w) => (/^['"`]/.test(w) ? w : w.toLowerCase());
  const at = (list) => list.map((w, i) => [w, i]).filter(([w]) => w.trim() !== '');
  const x = at(a), y = at(b);
  const known = x.length * y.length < 4e6 && to !== '';
  const [inX, inY] = known ? common(x.map(([w]) => key(w)), y.map(([w]) => key(w)), (p, q) => p === q) : [null, null];
  const line = (name, list, kept, inside, tag) => {
    const own = new Set(inside ? kept.filter((_, n) => !inside.has(n)).map(([, i]) => i) : []);
    return [el('p', { class: 'role' }, name), el('div', { class: 'sql' }, list.map((w, i) => (own.has(i) ? el(tag, null, w) : w)))];
  };
  return el('div', { class: 'diff' }, line(fromName, a, x, inX, 'del'), to === '' ? [el('p', { class: 'role' }, toName), el('p', null, '(no SQL)')] : line(toName, b, y, inY, 'ins'));
}

// lines reads a result's preview: the columns' names and the rows; null where there is none.
function lines(result, strings) {
  try {
    const out = JSON.parse(strings[result[1]]);
    return Array.isArray(out) && out.every(Array.isArray) ? out : null;
  } catch {
    return null;
  }
}

// resultTables shows two results side by side. A row is marked where the other result is shown to the end and has it not.
function resultTables(strings, leftName, left, rightName, right, equal) {
  const l = left && lines(left, strings), r = right && lines(right, strings);
  const whole = (result, shown) => !equal && shown && shown.length - 1 === result[0];
  const side = (name, result, mine, others, known) => {
    if (!mine) return el('div', null, el('p', { class: 'role' }, name), el('p', null, result ? '(the rows were not recorded)' : '(no result)'));
    const count = new Map();
    (known ? others.slice(1) : []).forEach((row) => count.set(row.join('\0'), (count.get(row.join('\0')) || 0) + 1));
    const alone = (row) => {
      const n = count.get(row.join('\0')) || 0;
      count.set(row.join('\0'), n - 1);
      return known && n < 1;
    };
    const more = result[0] - (mine.length - 1);
    return el('div', null, el('table', { class: 'rows' },
      el('caption', null, `${name}: ${many(result[0], 'row')}`),
      el('thead', null, el('tr', null, (mine[0] || []).map((c) => el('th', { scope: 'col' }, c)))),
      el('tbody', null, mine.slice(1).map((row) => {
        const odd = alone(row);
        return el('tr', { class: odd ? 'odd' : null, title: odd ? 'the other result has no such row' : null }, row.map((c) => el('td', null, c)));
      }))), more > 0 ? el('p', { class: 'notes' }, `and ${more} more`) : null);
  };
  return el('div', { class: 'two' }, side(leftName, left, l, r, whole(right, r)), side(rightName, right, r, l, whole(left, l)));
}

const tableOf = (heads, rows) => el('table', { class: 'rows' },
  el('thead', null, el('tr', null, heads.map((h) => el('th', { scope: 'col' }, h)))),
  el('tbody', null, rows.map((r) => el('tr', null, r.map((c) => el('td', null, c))))));

// schemaIn finds where a prompt describes the tables, the last time that it does.
function schemaIn(text, tables) {
  const all = text.split('\n');
  const plain = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  let first = all.length, last = -1;
  for (const t of tables) {
    const begins = new RegExp('^\\s*(?:#\\s*|\\|\\s*|CREATE TABLE\\s+)?["`\\[]?' + plain(t) + '["`\\]]?\\s*(?:\\(|\\||$)', 'i');
    const at = all.findLastIndex((line) => begins.test(line));
    if (at < 0) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  if (last < 0) return '';
  if (/CREATE TABLE/i.test(all[last])) {
    while (last + 1 < all.length && !/^\s*\)/.test(all[last])) last++;
  }
  return all.slice(first, last + 1).join('\n');
}

// spoken shows a turn, its Thought, Action and Observation each in its own line.
const spoken = (text) => long(text, 'spoken', (part) => part.split(/^(Thought:|Action:|Observation:)/m).map((x, i) => (i % 2 ? el('b', null, x) : x)));

