// The thread that looks for QR codes, so that the page never waits for one.
import decodeQR from "qr/decode.js";

/** A picture to look at. */
export interface ScanTask {
  width: number;
  height: number;
  data: Uint8ClampedArray;
  /** How hard to look: a camera has another picture soon, a file has not. */
  effort: number;
  timeLimit: number;
}

/** What was found: the text of a QR code, or nothing. */
export type ScanAnswer = string | undefined;

const scope = self as unknown as {
  onmessage: (message: { data: ScanTask }) => void;
  postMessage: (answer: ScanAnswer) => void;
};

scope.onmessage = ({ data: { width, height, data, effort, timeLimit } }) => {
  scope.postMessage(decoded({ width, height, data }, { effort, timeLimit }));
};

function decoded(...picture: Parameters<typeof decodeQR>): ScanAnswer {
  try {
    return decodeQR(...picture);
  } catch {
    // No code in it: it says so by throwing.
    return undefined;
  }
}
