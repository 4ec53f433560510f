import { InvalidArgumentError } from "commander";

/** Reads an option that is a natural number; for `.argParser()`. */
export function natural(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new InvalidArgumentError("A whole number is needed.");
  return number;
}

/** The same, from 1. */
export function positive(text: string): number {
  const number = natural(text);
  if (number === 0) throw new InvalidArgumentError("A number from 1 is needed.");
  return number;
}
