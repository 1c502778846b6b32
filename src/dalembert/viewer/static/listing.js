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
  listing.fillDetails();
  player.refresh(id);
  stage.again();
  player.go(player.from + k);
};

// what belongs to the row that is chosen
listing.fillDetails = function () {
  const d = D.listing && D.listing.details;
  id("details-card").hidden = !d;
  if (!d) return;
  const number = (c) => c === 1 || c === 3;
  id("details-title").textContent = `${d.title} of ${D.listing.one} ${D.listing.rows[listing.row][0]}`;
  id("details").replaceChildren(element("thead", {}, row("th", d.head, number)), element("tbody", {}, ...d.rows[listing.row].map((cells) => row("td", cells, number))));
};

// fills the list; what was chosen stays where there is as much to choose from
listing.refresh = function (id) {
  const l = D.listing;
  id("listing-card").hidden = !l;
  if (!l) { id("details-card").hidden = true; return; }
  listing.row = listing.rows === l.rows.length ? listing.row : l.chosen || 0;
  listing.level = listing.rows === undefined || l.level === undefined ? l.level || 0 : listing.level;
  listing.rows = l.rows.length;
  id("listing-title").textContent = l.title;
  id("listing-note").textContent = l.note;
  id("amplitude-label").hidden = !l.levels.length;
  id("amplitude").oninput = () => listing.choose(listing.row, Number(id("amplitude").value));
  const verdict = l.head.indexOf("verdict");
  const number = (c) => c > 1 && c - 1 !== verdict && l.title !== "Configurations";
  const body = element("tbody", {}, ...l.rows.map((cells, i) => {
    const made = row("td", ["", ...cells], number);
    const pick = element("input", { type: "radio", name: "listing", checked: i === listing.row });
    pick.setAttribute("aria-label", `${l.one} ${cells.join(", ")}`);
    pick.onchange = () => listing.choose(i);
    made.firstChild.append(pick);
    made.onclick = () => listing.choose(i);
    made.classList.toggle("chosen", i === listing.row);
    if (verdict >= 0) made.children[verdict + 1].className = cells[verdict] === "stable" ? "good" : "free";
    return made;
  }));
  id("listing").replaceChildren(element("thead", {}, row("th", ["", ...l.head.map((x) => x.replace(/([._])/g, "$1\u200b"))], number)), body);
};

// a list that is too wide beside the drawing gets more of the page, or all of it below the drawing
listing.fit = function () {
  const main = document.querySelector("main"), box = id("listing").parentElement, wide = () => box.scrollWidth > box.clientWidth + 1;
  main.classList.remove("roomy", "below");
  if (!D.listing) return;
  for (const name of ["roomy", "below"]) {
    if (!wide()) return;
    main.classList.remove("roomy");
    main.classList.add(name);
  }
};

// what the place on the slider is called
listing.here = function (k) {
  const a = D.axis, value = S[k].toFixed(player.decimals);
  if (!D.listing) return a.name === "t" ? `t = ${value} ${a.unit}` : `${a.name} ${value}`;
  const name = `${D.listing.one} ${D.listing.rows[listing.row][0]}`;
  return listing.still() ? name : D.kind === "modes" ? `${name}, ${Math.round(360 * T[k])}°` : `${name}, ${a.name} ${digits(S[k])}`;
};
