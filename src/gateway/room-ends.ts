import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { RoomAccess } from './membership.ts';
import type { Outlet } from './outlet.ts';
import type { ParleySocket, RecoveredRoom } from './socket.ts';

/** Tells whoever comes back to a channel that is gone: what was said there is gone with it, the word of its end is not. */
export class RoomEnds {
  private readonly delivery: Delivery;
  private readonly catchUp: CatchUp;
  private readonly outlet: Outlet;
  private readonly access: RoomAccess;

  constructor(parts: { delivery: Delivery; catchUp: CatchUp; outlet: Outlet; access: RoomAccess }) {
    this.delivery = parts.delivery;
    this.catchUp = parts.catchUp;
    this.outlet = parts.outlet;
    this.access = parts.access;
  }

  /** @param room where the socket was, and may not be any more for whatever reason */
  async tell(socket: ParleySocket, room: RecoveredRoom): Promise<void> {
    const log = room.joined.room;
    const head = (await this.delivery.openFresh(log))?.position ?? 0;
    if (head <= room.after) return;
    const page = await this.catchUp.read(log, head - 1, { events: 1, bytes: 1 });
    const [entry] = page?.entries ?? [];
    if (!entry || !this.access.isEnd(entry)) return;
    const mark = this.delivery.nextMark();
    socket.data.replayed.push({ mark, room: log, seq: entry.seq });
    this.outlet.emitTo(socket, [{ entry, mark }]);
    // Once for all that was followed there. Whoever is cut off now was told; the replay says so where it did not arrive.
    for (const other of socket.data.recovery?.rooms ?? []) if (other.joined.room === log) other.after = entry.seq;
  }
}
