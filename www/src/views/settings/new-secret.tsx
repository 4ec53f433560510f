import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { Secret, type SecretField, secretIn } from "./secret.tsx";

/** The two fields of a secret that is made up now. */
export interface NewSecret {
  first: SecretField;
  again: SecretField;
  /** Whether both say the same. */
  isSame(): boolean;
}

export function useNewSecret(): NewSecret {
  const [first, again] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  return { first, again, isSame: () => secretIn(first) === secretIn(again) };
}

interface NewSecretFieldsProps {
  secret: NewSecret;
  label: string;
  hint: string;
  againLabel: string;
  /** What is said while the two are not the same. */
  differ: string;
  minLength: number;
}

/** Asks for a new secret twice. */
export function NewSecretFields({ secret, label, hint, againLabel, differ, minLength }: NewSecretFieldsProps) {
  const isDifferent = useSignal(false);
  const look = () => {
    isDifferent.value = secretIn(secret.again) !== "" && !secret.isSame();
  };
  return (
    <div onInput={look}>
      <Secret label={label} hint={hint} field={secret.first} isNew minLength={minLength} />
      <Secret label={againLabel} error={isDifferent.value ? differ : undefined} field={secret.again} isNew />
    </div>
  );
}
