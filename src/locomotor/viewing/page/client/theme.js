// Dark or light: what the reader's system prefers, until the button is used; remembered where the browser allows it.

const THEME_KEY = "locomotor-theme";

export class Theme {
  constructor() {
    this.listeners = [];
    this.preferred = window.matchMedia("(prefers-color-scheme: dark)");
    this.preferred.addEventListener("change", () => this.chosen() || this.apply());
    this.apply();
  }

  onChange(listener) { this.listeners.push(listener); }

  chosen() {
    try { return localStorage.getItem(THEME_KEY); } catch { return null; }
  }

  get name() { return document.documentElement.dataset.theme; }

  toggle() {
    const next = this.name === "dark" ? "light" : "dark";
    try { localStorage.setItem(THEME_KEY, next); } catch { /* a page from a file may not be allowed to remember */ }
    this.apply(next);
  }

  apply(name = this.chosen() ?? (this.preferred.matches ? "dark" : "light")) {
    document.documentElement.dataset.theme = name;
    this.styles = getComputedStyle(document.documentElement);
    for (const listener of this.listeners) listener();
  }

  colour(name) { return this.styles.getPropertyValue(`--${name}`).trim(); }

  series(index) { return this.colour(`c${index % 8}`); }
}
