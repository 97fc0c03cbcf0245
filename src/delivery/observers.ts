import type { LogEntry } from '../cluster/entry.ts';
import type { Log } from '../infrastructure/log.ts';

type Observer = (entry: LogEntry) => void;

/** The observers that get each event on this node before the sockets do. */
export class Observers {
  private readonly all: Observer[] = [];
  private readonly log: Log;

  constructor(log: Log) {
    this.log = log;
  }

  add(observer: Observer): void {
    this.all.push(observer);
  }

  notify(entries: LogEntry[]): void {
    for (const entry of entries) for (const observer of this.all) this.notifyOne(observer, entry);
  }

  /** A failing observer must not keep an event from the sockets. */
  private notifyOne(observer: Observer, entry: LogEntry): void {
    try {
      observer(entry);
    } catch (error) {
      this.log.error({ err: error, event: entry.event }, 'An observer of events failed.');
    }
  }
}
