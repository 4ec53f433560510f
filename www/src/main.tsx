import { render } from "preact";
import { App } from "./app.tsx";
import { Framed } from "./framed.tsx";
import { wake } from "./live.ts";
import { language, speak } from "./words/language.ts";

speak(language.value);
const page = document.getElementById("page");
if (page && self === top) {
  render(<App />, page);
  // After the first view stands: what it takes to encrypt is six times as large.
  requestAnimationFrame(() => setTimeout(wake));
} else if (page) {
  // In a frame, another page could put its own picture over the buttons. A static host may not be able to forbid it.
  render(<Framed />, page);
}
