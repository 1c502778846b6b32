// Time: one output is shown at a time, exactly as computed; nothing is interpolated.
const player = { k: 0, from: 0, to: 0, playing: false, loop: true, speed: 1, clock: 0, listeners: [] };

player.go = function (k) {
  player.k = Math.max(player.from, Math.min(player.to, k));
  player.clock = T[player.k];
  player.listeners.forEach((f) => f(player.k));
};

player.toggle = function () {
  if (player.from === player.to) return;
  player.playing = !player.playing;
  if (player.playing && player.k === player.to) player.go(player.from);
  player.last = performance.now();
  if (player.playing) requestAnimationFrame(player.tick);
  player.changed();
};

player.tick = function (now) {
  if (!player.playing) return;
  const { from, to } = player, forward = T[to] >= T[from] ? 1 : -1;
  // after a pause of the browser time goes on where it was
  player.clock += forward * player.speed * Math.min(now - player.last, 100) / 1000;
  player.last = now;
  let k = player.k;
  while (k < to && forward * (T[k + 1] - player.clock) <= 0) k++;
  // the last output is shown as long as those before it
  if (forward * (player.clock - T[to]) > Math.abs(T[to] - T[Math.max(from, to - 1)])) {
    if (player.loop) { player.go(from); } else { player.go(to); player.playing = false; player.changed(); return; }
  } else if (k !== player.k) {
    const clock = player.clock;
    player.go(k);
    player.clock = clock;
  }
  requestAnimationFrame(player.tick);
};

// a factor 1, 2 or 5 times a power of ten that shows the run in about eight seconds; runs of 2 to 30 s as they are
player.natural = function () {
  const span = Math.abs(T[player.to] - T[player.from]);
  // a cycle of a mode in two seconds
  if (D.kind === "modes") return 0.5;
  if (span === 0 || (span >= 2 && span <= 30)) return 1;
  const wanted = span / 8, power = Math.pow(10, Math.floor(Math.log10(wanted)));
  return [1, 2, 5, 10].map((f) => f * power).find((f) => f >= 0.999 * wanted);
};

// what depends on the data: the length of the slider, the speeds offered, the digits of the time; a speed that was chosen stays
player.refresh = function (id) {
  [player.from, player.to] = listing.window();
  const { from, to } = player;
  id("time").min = from;
  id("time").max = to;
  player.decimals = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(Math.abs(S[to] - S[from]) / (to - from + 1) || 1))));
  player.mark(id("marks"));
  player.bars(id("phases"));
  if (from === to && player.playing) { player.playing = false; player.changed(); }
  const base = player.natural();
  if (player.base === base) return;
  const kept = player.base === undefined ? 1 : player.speed / player.base;
  id("speed").replaceChildren(...[0.1, 0.2, 0.5, 1, 2, 5, 10].map((f) => {
    const value = base * f, option = element("option", { value: String(value) });
    option.textContent = D.kind === "modes" ? `${digits(value)} cycles/s` : value >= 1 ? `${digits(value)} ×` : `1/${digits(1 / value)}`;
    option.selected = Math.abs(f - kept) < 1e-6 * f;
    return option;
  }));
  player.base = base;
  player.speed = Number(id("speed").value);
};

// where an instant lies on the slider (percent), between two outputs where it is, and the first output at or after it
player.spot = function (t) {
  const { from, to } = player, forward = T[to] >= T[from] ? 1 : -1;
  let k = from;
  while (k < to && forward * (T[k] - t) < 0) k++;
  const before = k > from ? T[k - 1] : T[k], wide = T[k] - before || 1;
  const at = Math.min(to, k > from ? k - 1 + (t - before) / wide : k) - from;
  return [to > from ? 100 * at / (to - from) : 0, k];
};

// what happened on the way: marks under the slider, which go to the first output at or after them
player.mark = function (place) {
  place.replaceChildren(...D.marks.map((m) => {
    const made = element("i", { className: m.what, title: `${digits(m.t)} s  ${m.text}` }), [at, k] = player.spot(m.t);
    made.style.left = `${at}%`;
    made.onclick = () => player.go(k);
    return made;
  }));
};

// stops and friction over time: a bar each, with its phases, and what the colours mean
player.bars = function (place) {
  const bars = D.phases.map((bar) => element("div", {}, ...bar.spans.map(([from, to, what]) => {
    const made = element("i", { className: what, title: `${bar.name}: ${what}, ${digits(from)} to ${digits(to)} s` }), [a, k] = player.spot(from);
    made.style.left = `${a}%`;
    made.style.width = `${player.spot(to)[0] - a}%`;
    made.onclick = () => player.go(k);
    return made;
  })));
  const seen = ["open", "closed", "stick", "slip"].filter((what) => D.phases.some((bar) => bar.spans.some((x) => x[2] === what)));
  const names = element("p", {}, D.phases.map((bar) => bar.name).join(", "), ...seen.map((what) => element("span", {}, element("b", { className: what }), what)));
  place.replaceChildren(...bars, ...(bars.length ? [names] : []));
};

player.start = function (id) {
  const slider = id("time"), speed = id("speed"), play = id("play");
  speed.onchange = () => { player.speed = Number(speed.value); };
  id("loop").onchange = (e) => { player.loop = e.target.checked; };
  slider.oninput = () => player.go(Number(slider.value));
  play.onclick = player.toggle;
  id("back").onclick = () => player.go(player.k - 1);
  id("forth").onclick = () => player.go(player.k + 1);
  player.changed = () => {
    play.textContent = player.playing ? "❚❚" : "▶\uFE0E";
    play.setAttribute("aria-label", player.playing ? "pause" : "play");
  };
  player.refresh(id);
  player.listeners.push((k) => {
    slider.value = k;
    id("now").textContent = listing.here(k);
    slider.setAttribute("aria-valuetext", id("now").textContent);
  });
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox")) {
      // the sliders and lists keep their own keys, except that space always plays
      if (e.key !== " " || e.target.type !== "range") return;
    }
    if (e.key === " " && (/^(BUTTON|SUMMARY)$/.test(e.target.tagName) || e.target.type === "checkbox")) return;
    const step = e.shiftKey ? 10 : 1;
    const action = {
      " ": player.toggle, ArrowLeft: () => player.go(player.k - step), ArrowRight: () => player.go(player.k + step),
      Home: () => player.go(player.from), End: () => player.go(player.to),
    }[e.key];
    if (action) { action(); e.preventDefault(); }
  });
};
