import encode from "qr";

/** A QR code: dark on light whatever the theme, with its quiet zone, since scanners want that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows: boolean[][] = encode(text, "raw", { border: 4 });
  const size = rows.length;
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
