// What all plots share: round ticks, and canvases as sharp as the screen.

const MARGIN = { left: 46, right: 8, top: 5, bottom: 17 };

// Round numbers within a range, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((k) => k * power >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

function tickText(value, step) {
  if (Math.abs(value) < 1e-9 * step) return "0";
  if (Math.abs(value) >= 1e5 || step < 1e-4) return value.toExponential(1).replace("e+", "e");
  let decimals = 0;
  while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals) decimals++;
  return value.toFixed(decimals);
}

// A canvas fitted to its element; returns the pen, in CSS pixels, or null while the element has no size.
export function penOf(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, height);
  return pen;
}

// Frame with ticks; returns how to place numbers: {x, y, area}.
export function frame(pen, canvas, theme, [x0, x1], [y0, y1], { xTicks = 5, yTicks = 3 } = {}) {
  const area = {
    left: MARGIN.left, top: MARGIN.top,
    width: canvas.clientWidth - MARGIN.left - MARGIN.right,
    height: canvas.clientHeight - MARGIN.top - MARGIN.bottom,
  };
  const x = (v) => area.left + ((v - x0) / (x1 - x0 || 1)) * area.width;
  const y = (v) => area.top + (1 - (v - y0) / (y1 - y0 || 1)) * area.height;
  pen.font = "10.5px system-ui, 'Liberation Sans', sans-serif";
  pen.lineWidth = 1;
  pen.strokeStyle = theme.colour("line");
  pen.fillStyle = theme.colour("soft");
  const across = ticks(y0, y1, yTicks);
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const value of across) {
    const at = Math.round(y(value)) + 0.5;
    pen.beginPath();
    pen.moveTo(area.left, at);
    pen.lineTo(area.left + area.width, at);
    pen.stroke();
    pen.fillText(tickText(value, across.length > 1 ? across[1] - across[0] : 1), area.left - 6, at);
  }
  const along = ticks(x0, x1, xTicks);
  pen.textBaseline = "top";
  along.forEach((value, i) => {
    const at = x(value);
    pen.textAlign = at > area.left + area.width - 12 ? "right" : i === 0 && at < area.left + 4 ? "left" : "center";
    pen.fillText(tickText(value, along.length > 1 ? along[1] - along[0] : 1), at, area.top + area.height + 4);
  });
  return { x, y, area };
}

// A line through points; with many more points than pixels, the extremes within each pixel column.
export function trace(pen, xs, ys, x, y, width) {
  pen.beginPath();
  const dense = xs.length > 3 * width;
  let column = null;
  let low = 0;
  let high = 0;
  let open = false;
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isFinite(ys[i])) {
      if (dense && column !== null) { pen.lineTo(column, low); pen.lineTo(column, high); }
      open = false;
      column = null;
      continue;
    }
    const px = x(xs[i]);
    const py = y(ys[i]);
    if (!dense) {
      if (open) pen.lineTo(px, py); else pen.moveTo(px, py);
      open = true;
      continue;
    }
    const here = Math.round(px);
    if (here !== column) {
      if (column !== null) { pen.lineTo(column, low); pen.lineTo(column, high); }
      if (!open) pen.moveTo(here, py);
      open = true;
      column = here;
      low = high = py;
    }
    low = Math.min(low, py);
    high = Math.max(high, py);
  }
  if (dense && column !== null) { pen.lineTo(column, low); pen.lineTo(column, high); }
  pen.stroke();
}

// From the smallest to the largest finite value, with some air; a constant gets a range of its own size.
export function rangeOf(values) {
  const sorted = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
  if (!sorted.length) return [-1, 1];
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  let [low, high] = [at(0), at(1)];
  // The last instants of a run that blew up must not flatten all the rest.
  const usual = at(0.98) - at(0.02);
  if (usual > 0 && high - low > 50 * usual) [low, high] = [at(0.02) - usual, at(0.98) + usual];
  // Changes at the round-off of the recording are no changes.
  const span = high - low > 2e-6 * Math.max(Math.abs(low), Math.abs(high)) ? high - low : Math.max(2 * Math.abs(high), 1e-3) || 1;
  const middle = 0.5 * (low + high);
  return [middle - 0.56 * span, middle + 0.56 * span];
}
