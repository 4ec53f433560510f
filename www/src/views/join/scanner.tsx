import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { type Camera, ScanFailed, type ScanFault, scanPicture, startCamera } from "../../scan.ts";
import { spoken } from "../../words/language.ts";
import "./scanner.css";
import { room } from "./scanner-words.ts";

interface ScannerProps {
  /** Takes a scanned text, or says in words why it is not the one; then the camera looks on. */
  onText: (text: string) => string | undefined;
  /** The human stopped it. */
  onStop: () => void;
}

/** Looks for a QR code with the camera, or in a picture. The camera is off as soon as this is not drawn any more. */
export default function Scanner({ onText, onStop }: ScannerProps) {
  const w = spoken(room);
  const video = useRef<HTMLVideoElement>(null);
  const state = useSignal<"starting" | "looking" | "reading" | ScanFault>("starting");
  const complaint = useSignal<string | undefined>(undefined);
  const turn = useSignal(0);
  const take = (text: string) => {
    complaint.value = onText(text);
    return complaint.value === undefined;
  };
  const current = useRef(take);
  current.current = take;
  const fail = (error: unknown) => {
    state.value = error instanceof ScanFailed ? error.code : "busy";
  };

  useEffect(() => {
    let camera: Camera | undefined;
    let isWanted = true;
    const stop = () => {
      isWanted = false;
      camera?.stop();
    };
    const hide = () => {
      if (!document.hidden) return;
      stop();
      onStop();
    };
    document.addEventListener("visibilitychange", hide);
    addEventListener("pagehide", stop);
    state.value = "starting";
    if (video.current) {
      startCamera(video.current, (text) => current.current(text)).then((started) => {
        camera = started;
        if (isWanted) state.value = "looking";
        else started.stop();
      }, fail);
    }
    return () => {
      document.removeEventListener("visibilitychange", hide);
      removeEventListener("pagehide", stop);
      stop();
    };
  }, [turn.value]);

  const read = async (file: File | undefined) => {
    if (!file) return;
    const before = state.value;
    state.value = "reading";
    complaint.value = undefined;
    try {
      take(await scanPicture(file));
      state.value = before;
    } catch (error) {
      fail(error);
    }
  };
  const isLive = state.value === "starting" || state.value === "looking";
  const fault = isLive || state.value === "reading" ? undefined : w.faults[state.value as ScanFault];
  return (
    <section class="scanner" aria-label={w.title} tabIndex={-1}>
      <video ref={video} playsInline muted aria-label={w.video} hidden={state.value !== "looking"} />
      <div role="status">
        {state.value === "starting" && <p>{w.starting}</p>}
        {state.value === "looking" && <p>{`${w.looking} ${w.private}`}</p>}
        {state.value === "reading" && <p>{w.reading}</p>}
      </div>
      {fault && (
        <p class="error" role="alert">
          {fault}
        </p>
      )}
      {complaint.value && (
        <p class="error" role="alert">
          {complaint.value}
        </p>
      )}
      <Field label={w.picture} hint={w.pictureHint}>
        {(ties) => (
          <input
            {...ties}
            type="file"
            accept="image/*"
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = "";
            }}
          />
        )}
      </Field>
      <div class="buttons">
        <Button onClick={onStop}>{fault ? w.close : w.stop}</Button>
        {fault && (
          <Button
            onClick={() => {
              turn.value += 1;
            }}
          >
            {w.again}
          </Button>
        )}
      </div>
    </section>
  );
}
