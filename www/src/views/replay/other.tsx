import { useSignal } from "@preact/signals";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { spoken } from "../../words/language.ts";
import {
  parseTranscript,
  TRANSCRIPT_BYTES,
  type Transcript,
  TranscriptError,
  type TranscriptFault,
} from "./transcript.ts";
import { room } from "./words.ts";

interface OtherProps {
  onOpen: (transcript: Transcript) => void;
  /** Back to the one that comes with the page, if another one is open. */
  onClose?: () => void;
}

/** Opens a transcript from a file. */
export function OtherTranscript({ onOpen, onClose }: OtherProps) {
  const w = spoken(room);
  const fault = useSignal<TranscriptFault | "unread" | undefined>(undefined);
  const read = async (file: File | undefined) => {
    if (!file) return;
    fault.value = undefined;
    try {
      if (file.size > TRANSCRIPT_BYTES) throw new TranscriptError("too_large");
      onOpen(parseTranscript(await file.text()));
      scrollTo(0, 0);
    } catch (error) {
      fault.value = error instanceof TranscriptError ? error.code : "unread";
    }
  };
  return (
    <details class="other-transcript">
      <summary>{w.other}</summary>
      <Field label={w.choose} error={fault.value && w.faults[fault.value]}>
        {(ties) => (
          <input
            {...ties}
            type="file"
            accept="application/json,.json"
            onChange={(event) => {
              void read(event.currentTarget.files?.[0]);
              event.currentTarget.value = "";
            }}
          />
        )}
      </Field>
      {onClose && <Button onClick={onClose}>{w.ours}</Button>}
    </details>
  );
}
