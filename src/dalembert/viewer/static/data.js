// The data of the page: quantities as arrays of numbers, and where everything is at output k.
// `take` puts other data in their place; the rest of the page follows by `load` in main.js.
let D, T, S, N, columnsOf; // T: times in seconds, S: as they are shown

function unpack(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const view = new DataView(bytes.buffer), found = new Float32Array(raw.length / 4);
  for (let i = 0; i < found.length; i++) found[i] = view.getFloat32(4 * i, true);
  return found;
}

function take(data) {
  // data of a run over time need not say what is usual
  D = { kind: "run", axis: { name: "t", unit: "s" }, units: {}, listing: null, sheets: [], marks: [], phases: [], ...data };
  D.report = { headline: null, texts: [], equations: null, units: {}, factors: {}, ...data.report };
  T = unpack(D.t);
  S = D.axis.factor ? Array.from(T, (x) => x * D.axis.factor) : T;
  N = T.length;
  columnsOf = new Map();
}
take(JSON.parse(document.getElementById("data").textContent));

// columns of quantity q, unpacked when they are needed first
function columns(q) {
  if (!columnsOf.has(q)) columnsOf.set(q, D.quantities[q].values.map(unpack));
  return columnsOf.get(q);
}

// columns of quantity q in the units that the reader sees; the drawing takes `columns`, in SI units
function shownColumns(q) {
  const about = D.quantities[q];
  if (!about.shown) {
    const last = about.rate_unit === undefined ? -1 : about.values.length - 1;
    about.shown = columns(q).map((c, i) => {
      const f = (i === last ? about.rate_factor : about.factor) || 1;
      return f === 1 ? c : c.map((x) => f * x);
    });
  }
  return about.shown;
}

// unit that the reader sees for an SI unit, and the factor
function unitOf(si) {
  return D.units[si] || [si, 1];
}

// components of quantity q at output k
function vector(q, k) {
  return columns(q).map((c) => c[k]);
}

// largest length of a vector quantity over time, and when
function largest(q, components) {
  const cs = columns(q).slice(0, components);
  let most = 0, at = 0;
  for (let k = 0; k < N; k++) {
    const s = Math.hypot(...cs.map((c) => c[k]));
    if (s > most) { most = s; at = k; }
  }
  return [most, at];
}

// root of the mean square of a vector quantity over time
function mean(q, components) {
  const cs = columns(q).slice(0, components);
  let sum = 0;
  for (let k = 0; k < N; k++) for (const c of cs) sum += c[k] * c[k] / N;
  return Math.sqrt(sum);
}

// five digits, without a long tail
function digits(x) {
  if (x === undefined || Number.isNaN(x)) return "–";
  const s = Math.abs(x);
  if (s === 0) return "0";
  if (s >= 1e5 || s < 1e-3) return x.toExponential(3).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  return String(Number(x.toPrecision(5))).replace("-", "−");
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function element(tag, options, ...inner) {
  const made = Object.assign(document.createElement(tag), options);
  made.append(...inner);
  return made;
}

// -- motion ---------------------------------------------------------------------------------------------------------

// rotation of a body as a matrix of rows; in the plane of size 2
function rotation(body, k) {
  const m = body.motion;
  if (D.scene.plane) {
    const a = m.angle === undefined ? 0 : columns(m.angle)[0][k], c = Math.cos(a), s = Math.sin(a);
    return [[c, -s], [s, c]];
  }
  if (m.quaternion === undefined) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const [e0, e1, e2, e3] = vector(m.quaternion, k);
  return [
    [1 - 2 * (e2 * e2 + e3 * e3), 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
    [2 * (e1 * e2 + e0 * e3), 1 - 2 * (e1 * e1 + e3 * e3), 2 * (e2 * e3 - e0 * e1)],
    [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 1 - 2 * (e1 * e1 + e2 * e2)],
  ];
}

function turned(matrix, p) {
  return matrix.map((row) => row.reduce((sum, x, i) => sum + x * p[i], 0));
}

// function that takes points of a body to space at output k; the ground has number -1
function placer(number, k) {
  if (number < 0) return (p) => p;
  const body = D.scene.bodies[number], a = rotation(body, k), o = vector(body.motion.position, k);
  return (p) => turned(a, p).map((x, i) => x + o[i]);
}

// place [body, point] in space
function where(place, k) {
  return placer(place[0], k)(place[1]);
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

// velocity v + w x u or acceleration a + w' x u + w x (w x u) of a place
function rateAt(place, k, second) {
  const zero = D.scene.plane ? [0, 0] : [0, 0, 0];
  if (place[0] < 0) return zero;
  const body = D.scene.bodies[place[0]], m = body.motion;
  const base = second ? m.acceleration : m.velocity;
  if (base === undefined) return zero;
  const v = vector(base, k);
  if (m.spin === undefined) return v.slice(0, zero.length);
  const u = turned(rotation(body, k), place[1]), w = vector(m.spin, k);
  if (D.scene.plane) {
    if (!second) return [v[0] - w[0] * u[1], v[1] + w[0] * u[0]];
    const e = vector(m.spin_rate, k)[0];
    return [v[0] - e * u[1] - w[0] * w[0] * u[0], v[1] + e * u[0] - w[0] * w[0] * u[1]];
  }
  if (!second) return cross(w, u).map((x, i) => x + v[i]);
  const e = vector(m.spin_rate, k), inner = cross(w, cross(w, u));
  return cross(e, u).map((x, i) => x + v[i] + inner[i]);
}

// outputs that lie as far from each other as they can: the first, then always the farthest
function ghostPoses(count) {
  const { from, to } = player, bodies = D.scene.bodies.slice(0, 40), step = Math.max(1, Math.floor((to - from) / 300));
  const size = Math.max(...D.scene.box[1].map((x, i) => x - D.scene.box[0][i])) || 1;
  const at = [];
  for (let k = from; k <= to; k += step) {
    at.push([k, bodies.flatMap((b, i) => {
      const put = placer(i, k), o = put(b.center), e = put(b.center.map((x, j) => x + (j ? 0 : size / 4)));
      return [...o, ...e];
    })]);
  }
  const picks = [at[0]], gap = at.map(() => Infinity);
  while (picks.length < count) {
    const last = picks[picks.length - 1][1];
    let best = 0;
    at.forEach(([, p], i) => {
      gap[i] = Math.min(gap[i], Math.hypot(...p.map((x, j) => x - last[j])));
      if (gap[i] > gap[best]) best = i;
    });
    if (!(gap[best] > 0.02 * size)) break;
    picks.push(at[best]);
  }
  return picks.map(([k]) => k);
}
