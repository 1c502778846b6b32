// List to choose from: modes, equilibria, branches, configurations.  Each row has its outputs; the player stays inside them.
const listing = { row: 0, level: 0 };

listing.window = function () {
  if (!D.listing) return [0, N - 1];
  const all = D.listing.windows[listing.row];
  return all[Math.min(listing.level, all.length - 1)];
};

// whether nothing moves: every row is one pose
listing.still = function () {
  return D.listing ? D.listing.windows.every((levels) => levels.every(([a, b]) => a === b)) : N < 2;
};

listing.choose = function (row, level) {
  listing.row = row;
  if (level !== undefined) listing.level = level;
  const part = D.listing.windows[row].length, k = player.k - player.from;
  id("amplitude").max = part - 1;
  id("amplitude").value = Math.min(listing.level, part - 1);
  id("amplitude-now").textContent = D.listing.levels.length ? digits(D.listing.levels[Math.min(listing.level, part - 1)]) : "";
  [...id("listing").querySelectorAll("tbody tr")].forEach((tr, i) => {
    tr.classList.toggle("chosen", i === row);
    tr.querySelector("input").checked = i === row;
  });
  player.refresh(id);
  stage.again();
  player.go(player.from + k);
};

// fills the list; what was chosen stays where there is as much to choose from
listing.refresh = function (id) {
  const l = D.listing;
  id("listing-card").hidden = !l;
  if (!l) return;
  listing.row = listing.rows === l.rows.length ? listing.row : l.chosen || 0;
  listing.level = listing.rows === undefined || l.level === undefined ? l.level || 0 : listing.level;
  listing.rows = l.rows.length;
  id("listing-title").textContent = l.title;
  id("listing-note").textContent = l.note;
  id("amplitude-label").hidden = !l.levels.length;
  id("amplitude").oninput = () => listing.choose(listing.row, Number(id("amplitude").value));
  const verdict = l.head.indexOf("verdict");
  const body = element("tbody", {}, ...l.rows.map((cells, i) => {
    const made = row("td", ["", ...cells], (c) => c > 1 && c - 1 !== verdict && l.title !== "Configurations");
    const pick = element("input", { type: "radio", name: "listing", checked: i === listing.row });
    pick.setAttribute("aria-label", `${l.one} ${cells.join(", ")}`);
    pick.onchange = () => listing.choose(i);
    made.firstChild.append(pick);
    made.onclick = () => listing.choose(i);
    made.classList.toggle("chosen", i === listing.row);
    if (verdict >= 0) made.children[verdict + 1].className = cells[verdict] === "stable" ? "good" : "free";
    return made;
  }));
  id("listing").replaceChildren(element("thead", {}, row("th", ["", ...l.head])), body);
};

// what the place on the slider is called
listing.here = function (k) {
  const a = D.axis, value = T[k].toFixed(player.decimals);
  if (!D.listing) return a.name === "t" ? `t = ${value} s` : `${a.name} ${value}`;
  const name = `${D.listing.one} ${D.listing.rows[listing.row][0]}`;
  return listing.still() ? name : D.kind === "modes" ? `${name}, ${Math.round(360 * T[k])}°` : `${name}, ${a.name} ${digits(T[k])}`;
};
