// The pictures. Positions are percentages, so that nothing has to be drawn again when the window changes its width.

const pc = (value, from, to) => to > from ? 100 * (value - from) / (to - from) : 0;
const bar = (kind, x, width, attributes, title) => {
  const rect = h('svg:rect', {class: kind, x: x.toFixed(4) + '%', width: Math.max(width, 0).toFixed(4) + '%', ...attributes});
  if (title) rect.append(h('svg:title', null, title));
  return rect;
};

const STATES = {
  wait: 'waiting for machines', recover: 'waiting after an interruption', start: 'starting', train: 'training',
  blind: 'machines there, steps not known', suspended: 'suspended', unknown: 'not kept',
};

// What a job was doing when, as far as its status tells: [{state, from, to, execution}], without gaps.
function segments(status) {
  const through = time(status, 'time.observedThrough'), begun = time(status, 'time.start');
  if (through === undefined || begun === undefined) return [];
  const executions = list(status, 'executions'), parts = [];
  const knowsSteps = pick(status, 'steps') !== undefined;
  const add = (state, from, to, execution) => { if (to > from) parts.push({state, from, to, execution}); };
  executions.forEach((e, i) => {
    const from = time(e, 'start') ?? begun, to = time(e, 'end') ?? through;
    const available = Math.min(time(e, 'availableAt') ?? to, to), first = Math.min(time(e, 'firstStepAt') ?? to, to);
    if (i === 0) add('unknown', begun, from);
    add(i > 0 || from > begun ? 'recover' : 'wait', from, available, e);
    add(knowsSteps ? 'start' : 'blind', available, first, e);
    add('train', first, to, e);
  });
  if (executions.length === 0) add('wait', begun, through);
  const since = time(status, 'phaseSince');
  if (text(status, 'phase') === 'Suspended' && since !== undefined && parts.length) {
    const last = parts[parts.length - 1];
    last.to = Math.max(last.from, Math.min(last.to, since));
    add('suspended', Math.max(since, last.from), through);
  }
  return parts;
}

function legend(entries) {
  const sample = kind => kind === 'saved' ? h('svg:line', {class: kind, x1: 6, x2: 6, y1: 0, y2: 12}) : h('svg:rect', {class: kind, width: 12, height: 12});
  return h('ul', {class: 'legend'}, entries.map(([kind, words]) => h('li', null, h('svg:svg', {'aria-hidden': 'true'}, sample(kind)), words)));
}

function strip(status, from, to) {
  const svg = h('svg:svg', {class: 'strip', role: 'img', 'aria-label': stripWords(status)});
  for (const s of segments(status)) {
    if (s.to < from || s.from > to) continue;
    const a = Math.max(s.from, from), b = Math.min(s.to, to);
    svg.append(bar('s-' + s.state, pc(a, from, to), pc(b, from, to) - pc(a, from, to), {height: '100%'},
      `${STATES[s.state]}: ${duration(s.to - s.from)} from ${stamp(s.from)}`));
  }
  if (text(status, 'phase') === 'Failed') {
    const end = time(status, 'time.end');
    if (end >= from && end <= to) svg.append(h('svg:rect', {class: 's-failed', x: pc(end, from, to).toFixed(3) + '%', width: 4, height: '100%'}));
  }
  return svg;
}
function stripWords(status) {
  const sums = {};
  for (const s of segments(status)) sums[s.state] = (sums[s.state] || 0) + s.to - s.from;
  return Object.keys(sums).map(k => `${STATES[k]} ${duration(sums[k])}`).join(', ') || 'no times yet';
}

function axis(from, to, most) {
  const svg = h('svg:svg', {class: 'axis', 'aria-hidden': 'true'});
  for (const t of timeTicks(from, to, most)) {
    const x = pc(t, from, to);
    svg.append(h('svg:line', {class: 'tick', x1: x + '%', x2: x + '%', y1: 0, y2: 4}),
      h('svg:text', {x: x + '%', y: 15, 'text-anchor': x < 4 ? 'start' : x > 96 ? 'end' : 'middle'}, clock(t, to - from)));
  }
  return svg;
}

// The buckets as steps from wall time down to productive time. What the bars show is what the status says: their
// widths and the last bar add up to the first.
function waterfallRows(status) {
  const wall = number(status, 'time.wallMs'), available = number(status, 'time.availableMs'), productive = number(status, 'time.productiveMs');
  const rows = [{kind: 'sum', family: 'wall', name: 'wall time', ms: wall, at: 0, share: '100.00%'}];
  let left = wall;
  const part = b => {
    const ms = number(b, 'ms') ?? 0;
    left -= ms;
    rows.push({kind: 'part', family: text(b, 'family').toLowerCase(), name: text(b, 'bucket'), ms, at: left, share: text(b, 'share') || percent(ms, wall), bucket: b});
  };
  const buckets = list(status, 'badput').filter(b => number(b, 'ms') > 0);
  buckets.filter(b => text(b, 'family') === 'Scheduling').forEach(part);
  rows.push({kind: 'sum', family: 'wall', name: 'available', ms: available, at: 0, share: percent(available, wall)});
  buckets.filter(b => text(b, 'family') !== 'Scheduling').forEach(part);
  if (productive !== undefined) rows.push({kind: 'sum', family: 'productive', name: 'productive', ms: productive, at: 0, share: percent(productive, wall)});
  return rows;
}

function waterfall(status) {
  const wall = number(status, 'time.wallMs');
  const box = h('div', {class: 'falls'});
  waterfallRows(status).forEach((row, i) => {
    const width = 100 * row.ms / wall, x = 100 * row.at / wall;
    const svg = h('svg:svg', {'aria-hidden': 'true'},
      bar('bar f-' + row.family, x, width, {y: 2, height: 14, rx: 1, 'data-ms': row.ms, 'data-at': row.at, 'data-bucket': row.name}, `${row.name}: ${row.ms} ms`));
    if (width > 12) svg.append(h('svg:text', {class: 'on-bar', x: (x + width / 2).toFixed(3) + '%', y: 13, 'text-anchor': 'middle'}, row.share));
    const evidence = row.bucket && [text(row.bucket, 'basis'), number(row.bucket, 'count') > 0 && `${number(row.bucket, 'count')}×`, text(row.bucket, 'evidence') || 'no line of evidence'].filter(Boolean).join(' · ');
    const id = 'why-' + i;
    const why = evidence && h('div', {class: 'why', id, hidden: true}, evidence);
    const label = evidence ? h('button', {type: 'button', 'aria-expanded': 'false', 'aria-controls': id,
      click: e => { why.hidden = !why.hidden; e.currentTarget.setAttribute('aria-expanded', String(!why.hidden)); }}, row.name) : row.name;
    box.append(h('div', {class: 'row ' + row.kind}, h('div', {class: 'label'}, label), h('div', {class: 'bar-box'}, svg),
      h('div', {class: 'value num'}, duration(row.ms)), h('div', {class: 'value num soft'}, row.share)), why || '');
  });
  return box;
}

// The newest checkpoint of an execution, as far as the status tells: the one that the next execution went on from, else
// (of the last one that stepped) the newest that is known to be durable. {step, at} or null; `at` is between two known
// points, since nothing says when it was saved.
function newestCheckpoint(status, e, next) {
  const first = number(e, 'firstStep'), last = number(e, 'lastStep'), t0 = time(e, 'firstStepAt'), t1 = time(e, 'end') ?? time(status, 'time.observedThrough');
  const resumed = next && number(next, 'firstStep'), step = next ? (resumed === undefined ? undefined : resumed - 1) : number(status, 'steps.lastDurable');
  if (step === undefined || first === undefined || t0 === undefined || step < first || step > last) return null;
  const lost = number(e, 'tchMs') ?? 0;
  const at = next && step < last && lost > 0 ? t1 - lost : t0 + (t1 - t0) * (step - first + 1) / (last - first + 1);
  return {step, at: Math.max(at, t0)};
}

// A row per execution. The hatched end is as long as the work that was lost; it is drawn before the interruption.
function gantt(status) {
  const executions = list(status, 'executions'), parts = segments(status);
  const from = Math.min(...executions.map(e => time(e, 'start')).filter(t => t !== undefined)), to = time(status, 'time.observedThrough');
  if (!isFinite(from) || to === undefined) return null;
  const box = h('div', {class: 'gantt'});
  executions.forEach((e, i) => {
    const svg = h('svg:svg', {role: 'img', 'aria-label': parts.filter(s => s.execution === e).map(s => `${STATES[s.state]} ${duration(s.to - s.from)}`).join(', ')});
    for (const s of parts.filter(s => s.execution === e)) {
      svg.append(bar('s-' + s.state, pc(s.from, from, to), pc(s.to, from, to) - pc(s.from, from, to), {y: 3, height: 16},
        `${STATES[s.state]}: ${duration(s.to - s.from)} from ${stamp(s.from)}`));
      const lost = Math.min(number(e, 'tchMs') ?? 0, s.to - s.from);
      if (s.state === 'train' && lost > 0)
        svg.append(bar('lost', pc(s.to - lost, from, to), pc(s.to, from, to) - pc(s.to - lost, from, to), {y: 3, height: 16, 'data-ms': number(e, 'tchMs')}, `work lost: ${duration(number(e, 'tchMs'))}`));
    }
    const saved = newestCheckpoint(status, e, executions.slice(i + 1).find(n => number(n, 'firstStep') !== undefined));
    if (saved) {
      const x = pc(saved.at, from, to).toFixed(4) + '%';
      svg.append(h('svg:line', {class: 'saved', x1: x, x2: x, y1: 0, y2: 22, 'data-step': saved.step}, h('svg:title', null, `newest checkpoint: step ${saved.step}`)));
    }
    const where = [text(e, 'node'), text(e, 'nodePool') && `pool ${text(e, 'nodePool')}`].filter(Boolean).join(', ');
    const end = text(e, 'cause') ? [h('b', null, text(e, 'cause')), where && h('span', {class: 'soft'}, ' ', where)]
      : time(e, 'end') === undefined && pick(status, 'time.end') === undefined ? h('span', {class: 'soft'}, 'running') : h('span', {class: 'soft'}, text(status, 'phase').toLowerCase());
    box.append(h('div', {class: 'num soft'}, '#' + text(e, 'number')), svg, h('div', {class: 'end'}, end));
  });
  box.append(h('div', null), axis(from, to, innerWidth < 720 ? 4 : 8), h('div', null));
  return box;
}

// Step over time through the points that are known: first and last step of each execution, and when. Between them the
// line is straight because nothing is known there, not because the steps were even.
function stairs(status) {
  const through = time(status, 'time.observedThrough');
  const runs = list(status, 'executions').map(e => ({e, t0: time(e, 'firstStepAt'), t1: time(e, 'end') ?? through, s0: number(e, 'firstStep'), s1: number(e, 'lastStep'), lost: number(e, 'lostSteps') ?? 0}))
    .filter(r => r.t0 !== undefined && r.t1 > r.t0 && r.s0 !== undefined && r.s1 >= r.s0);
  if (runs.length === 0) return null;
  const from = runs[0].t0, to = Math.max(...runs.map(r => r.t1)), low = Math.min(...runs.map(r => r.s0)), high = Math.max(...runs.map(r => r.s1)) + 1;
  const X = t => pc(t, from, to), Y = s => 100 - pc(s, low, high);
  const svg = h('svg:svg', {class: 'stairs', role: 'img',
    'aria-label': runs.map(r => `execution ${text(r.e, 'number')}: steps ${r.s0} to ${r.s1}${r.lost ? `, ${r.lost} lost` : ''}`).join('; ')});
  const inner = h('svg:svg', {width: '100%', height: '100%', viewBox: '0 0 100 100', preserveAspectRatio: 'none', overflow: 'visible'});
  const point = (t, s) => `${X(t).toFixed(3)},${Y(s).toFixed(3)}`;
  runs.forEach((r, i) => {
    const kept = Math.max(r.s1 - r.lost, r.s0), cross = r.s1 > r.s0 ? r.t0 + (r.t1 - r.t0) * (kept - r.s0) / (r.s1 - r.s0) : r.t0;
    if (r.lost > 0 && text(r.e, 'cause'))
      inner.append(h('svg:polygon', {class: 'area', points: `${point(cross, kept)} ${point(r.t1, r.s1)} ${point(r.t1, kept)}`}, h('svg:title', null, `${r.lost} steps lost`)));
    inner.append(h('svg:polyline', {class: 'line', 'vector-effect': 'non-scaling-stroke', points: `${point(r.t0, r.s0)} ${point(r.t1, r.s1)}`}, h('svg:title', null, `#${text(r.e, 'number')}: steps ${r.s0} to ${r.s1}`)));
    if (runs[i + 1]) inner.append(h('svg:line', {class: 'fall', 'vector-effect': 'non-scaling-stroke', x1: X(r.t1), y1: Y(r.s1), x2: X(runs[i + 1].t0), y2: Y(runs[i + 1].s0)}));
  });
  for (const v of numberTicks(low, high - 1, 5))
    svg.append(h('svg:line', {class: 'tick', x1: 0, x2: '100%', y1: Y(v) + '%', y2: Y(v) + '%'}),
      h('svg:text', {x: 0, y: Y(v) + '%', dy: -3}, v.toLocaleString('en')));
  svg.append(inner);
  return h('div', null, svg, axis(from, to, innerWidth < 720 ? 4 : 8));
}
