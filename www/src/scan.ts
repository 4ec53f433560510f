// QR codes from the camera, or from a picture in a file. Nothing of them leaves this device.
import type { ScanAnswer, ScanTask } from "./scan-worker.ts";

/** Why nothing can be scanned. */
export type ScanFault = "denied" | "no_camera" | "busy" | "insecure" | "no_picture";

export class ScanFailed extends Error {
  readonly code: ScanFault;

  constructor(code: ScanFault, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** The longer side of a frame of the camera, and of a picture, as it is looked at. */
const FRAME = 960;
const PICTURE = 1_600;
/** Pause between two frames, in milliseconds: a phone shall stay cool. */
const PAUSE = 60;

/** A camera that looks for codes. */
export interface Camera {
  /** Stops it, and gives the camera back. */
  stop(): void;
}

/**
 * Looks at what the camera sees, and shows it in `video`, until `isMeant` says of a code that it is the one, or it is
 * stopped.
 *
 * @throws ScanFailed
 */
export async function startCamera(video: HTMLVideoElement, isMeant: (text: string) => boolean): Promise<Camera> {
  const stream = await cameraStream();
  const eye = openEye(stream);
  let isOn = true;
  const stop = () => {
    isOn = false;
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    eye.close();
  };
  const watch = async () => {
    while (isOn) {
      const { videoWidth: width, videoHeight: height } = video;
      const text =
        width > 0 ? await eye.look(video, width, height, { longest: FRAME, effort: 2, timeLimit: 40 }) : undefined;
      if (isOn && text !== undefined && isMeant(text)) return stop();
      await new Promise((next) => setTimeout(next, PAUSE));
    }
  };
  try {
    video.srcObject = stream;
    await video.play();
  } catch (cause) {
    stop();
    throw new ScanFailed("busy", cause);
  }
  // A thread that cannot be started ends the camera too.
  watch().catch(stop);
  return { stop };
}

/** Where there is no thread to look with, the camera is given back. */
function openEye(stream: MediaStream): Eye {
  try {
    return new Eye();
  } catch (cause) {
    for (const track of stream.getTracks()) track.stop();
    throw new ScanFailed("busy", cause);
  }
}

/** The code in a picture. @throws ScanFailed `no_picture` if it is no picture, or holds no code. */
export async function scanPicture(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file).catch((cause) => {
    throw new ScanFailed("no_picture", cause);
  });
  const eye = new Eye();
  try {
    for (const longest of [PICTURE, FRAME / 2]) {
      const text = await eye.look(picture, picture.width, picture.height, { longest, effort: 8, timeLimit: 1_000 });
      if (text !== undefined) return text;
    }
    throw new ScanFailed("no_picture");
  } finally {
    eye.close();
    picture.close();
  }
}

async function cameraStream(): Promise<MediaStream> {
  if (!isSecureContext || navigator.mediaDevices === undefined) throw new ScanFailed("insecure");
  try {
    const wanted = { facingMode: "environment", width: { ideal: 1_280 }, height: { ideal: 720 } };
    return await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
  } catch (cause) {
    const { name } = cause as { name?: string };
    if (name === "NotAllowedError" || name === "SecurityError") throw new ScanFailed("denied", cause);
    if (name === "NotFoundError" || name === "OverconstrainedError") throw new ScanFailed("no_camera", cause);
    throw new ScanFailed("busy", cause);
  }
}

/** Reads pictures by a canvas, and has them looked at in a thread. */
class Eye {
  readonly #thread = new Worker(new URL("./scan-worker.ts", import.meta.url), { type: "module" });
  readonly #canvas = document.createElement("canvas");
  #giveUp: () => void = () => {};

  async look(
    source: CanvasImageSource,
    width: number,
    height: number,
    { longest, effort, timeLimit }: { longest: number; effort: number; timeLimit: number },
  ): Promise<ScanAnswer> {
    const scale = Math.min(1, longest / Math.max(width, height));
    this.#canvas.width = Math.max(1, Math.round(width * scale));
    this.#canvas.height = Math.max(1, Math.round(height * scale));
    const context = this.#canvas.getContext("2d", { willReadFrequently: true });
    if (!context) return undefined;
    context.drawImage(source, 0, 0, this.#canvas.width, this.#canvas.height);
    const { data, width: w, height: h } = context.getImageData(0, 0, this.#canvas.width, this.#canvas.height);
    const task: ScanTask = { data, width: w, height: h, effort, timeLimit };
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined);
      this.#thread.onmessage = ({ data: answer }) => resolve(answer);
      this.#thread.onerror = () => reject(new ScanFailed("busy"));
      this.#thread.postMessage(task, [data.buffer]);
    });
  }

  close(): void {
    this.#thread.terminate();
    this.#giveUp();
  }
}
