/** Long enough for any browser to have begun with the file. */
const KEPT_MS = 60_000;

/** Gives the human a file. */
export function downloadText(name: string, type: string, text: BlobPart): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  // Some browsers follow only a link that is in the page.
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
