/** A brake: so many acts a period, in seconds, from one address. */
export interface Brake {
  limit: number;
  period: number;
}

/** The brakes of wrangler.toml, which a local relay has only when asked. */
export const BRAKES: { readonly [name: string]: Brake };

/** A port that was free a moment ago. */
export function freePort(): Promise<number>;

/** How a relay shall run. */
export interface RelayOptions {
  /** Directory of its databases, artifacts and key; made if missing. */
  data: string;
  /** The build of the Worker. */
  build: string;
  /** 0 or absent: a free one. */
  port?: number | undefined;
  /** Variables of the Worker. */
  variables?: { readonly [name: string]: string } | undefined;
  /** Absent: none. */
  brakes?: { readonly [name: string]: Brake } | undefined;
  /** Told what the Worker logs. */
  log?: ((line: { level: string; message: string }) => void) | undefined;
}

/** A relay that runs. */
export interface LocalRelay {
  url: string;
  port: number;
  /** Ends it in order; without it, workerd would go on serving as an orphan. */
  stop(): Promise<void>;
}

/** Starts a relay with the module `miniflare`, of wherever it was found. */
export function startRelay(miniflare: unknown, options: RelayOptions): Promise<LocalRelay>;

/** The variables of the Worker among those of an environment. */
export function workerVariables(environment: { readonly [name: string]: string | undefined }): {
  [name: string]: string;
};
