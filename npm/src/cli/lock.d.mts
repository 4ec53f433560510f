/** How to wait for a lock. */
export interface LockOptions {
  /** Ends the wait, with its reason. */
  signal?: AbortSignal | undefined;
  /** Told once that another process has it. */
  onWait?: (pid: number) => void;
}

/** Takes a lock file, and waits while a process that lives has it. Resolves with how to give it back. */
export function lock(file: string, options?: LockOptions): Promise<() => void>;

/**
 * Takes a lock file if nobody has it. Returns how to give it back, else the id of the process that has it; 0 if it is
 * not known yet.
 */
export function tryLock(file: string): (() => void) | number;
