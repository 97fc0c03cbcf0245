/** A file being received: its bytes can be read once, as they arrive. */
export interface IncomingFile {
  /** The client's name for it, without folders; empty if it gave none. */
  name: string;
  /** The media type that the client claims. */
  type: string | null;
  bytes: AsyncIterable<Buffer>;
}
