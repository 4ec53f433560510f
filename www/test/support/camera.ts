import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";

/** A picture as a browser decodes it: RGBA. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

/** What a camera gives: its size, in pixels. */
const [WIDTH, HEIGHT] = [640, 480];
const FRAMES = 5;

/** Decodes a PNG, drawn as large as it is, or onto a grey table in front of a camera. */
export async function picture(browser: Browser, png: Buffer, isFilmed = false): Promise<Picture> {
  const page = await browser.newPage();
  try {
    const { width, height, data } = await page.evaluate(
      async ({ png, size }) => {
        const bytes = Uint8Array.from(atob(png), (char) => char.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const [width, height] = size ?? [bitmap.width, bitmap.height];
        const context = new OffscreenCanvas(width, height).getContext("2d") as OffscreenCanvasRenderingContext2D;
        context.fillStyle = "#999";
        context.fillRect(0, 0, width, height);
        if (size) {
          // Held by a hand: neither straight nor in the middle.
          context.translate(width / 2 + 20, height / 2 - 8);
          context.rotate(0.09);
          const side = height * 0.82;
          context.drawImage(bitmap, -side / 2, -side / 2, side, side);
        } else {
          context.drawImage(bitmap, 0, 0);
        }
        const { data } = context.getImageData(0, 0, width, height);
        let text = "";
        for (let n = 0; n < data.length; n += 8_192) text += String.fromCharCode(...data.subarray(n, n + 8_192));
        return { width, height, data: btoa(text) };
      },
      { png: png.toString("base64"), size: isFilmed ? ([WIDTH, HEIGHT] as const) : undefined },
    );
    return { width, height, data: new Uint8ClampedArray(Buffer.from(data, "base64")) };
  } finally {
    await page.close();
  }
}

/** Writes what Chromium's fake camera shows: the picture, again and again. */
export function film(file: string, { width, height, data }: Picture): void {
  const luma = Buffer.alloc(width * height);
  for (let n = 0; n < luma.length; n++) {
    const [red = 0, green = 0, blue = 0] = data.subarray(n * 4, n * 4 + 3);
    luma[n] = Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
  }
  const frame = Buffer.concat([Buffer.from("FRAME\n"), luma, Buffer.alloc(luma.length / 2, 128)]);
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  writeFileSync(file, Buffer.concat([head, ...Array.from({ length: FRAMES }, () => frame)]));
}
