/** A file on its way in: its bytes can be read once, as they arrive. */
export interface IncomingFile {
  /** As the client calls it, without folders; empty when it gave none. */
  name: string;
  /** The media type that the client claims. */
  type: string | null;
  bytes: AsyncIterable<Buffer>;
}
