/** What is needed of a logger here; pino's fits. */
export interface EmbeddedLog {
  info(obj: object, msg: string): void;
  warn(obj: object, msg: string): void;
}
