import type { z } from 'zod';
import type { EventSpec } from '../contract/event.ts';

/** Sends an event to the sockets of the rooms on all nodes, to each once. */
export type EphemeralSink = (rooms: string[], event: EventSpec, data: object, exceptSocket: string | undefined) => void;

/** How services send events that are not worth keeping: typing, presence and the like. */
export class Ephemeral {
  private sink: EphemeralSink = () => {};

  /** The gateway is created after the services; until then there are no sockets. */
  connect(sink: EphemeralSink): void {
    this.sink = sink;
  }

  /**
   * @param rooms a socket in several of them gets it once
   * @param exceptSocket id of a socket that does not get it
   */
  emit<S extends z.ZodObject>(rooms: string[], event: EventSpec<S>, data: z.input<S>, exceptSocket?: string): void {
    this.sink(rooms, event, data, exceptSocket);
  }
}
