import type { CatchUp } from '../delivery/catch-up.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { RoomAccess } from './membership.ts';
import type { Outlet } from './outlet.ts';
import type { ParleySocket, RecoveredRoom } from './socket.ts';

interface Deps {
  delivery: Delivery;
  catchUp: CatchUp;
  outlet: Outlet;
  access: RoomAccess;
}

/** Sends clients that return to a deleted channel the event of its deletion, which is kept; its messages are gone. */
export class RoomEnds {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @param room that the socket was in and may no longer be in, for whatever reason */
  async report(socket: ParleySocket, room: RecoveredRoom): Promise<void> {
    const log = room.joined.room;
    const head = (await this.deps.delivery.openFresh(log))?.position ?? 0;
    if (head <= room.after) return;
    const page = await this.deps.catchUp.read(log, head - 1, { events: 1, bytes: 1 });
    const [entry] = page?.entries ?? [];
    if (!entry || !this.deps.access.isEnd(entry)) return;
    const mark = this.deps.delivery.nextMark();
    this.deps.outlet.emitTo(socket, [{ entry, mark }]);
    // Once for all rooms of that log. If the client is cut off now it counts as sent; the outlet's note corrects that.
    for (const other of socket.data.recovery?.rooms ?? []) if (other.joined.room === log) other.after = entry.seq;
  }
}
