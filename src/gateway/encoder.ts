import * as parser from 'socket.io-parser';
import { isTooComplex } from '../infrastructure/json-complexity.ts';
import type { Log } from '../infrastructure/log.ts';
import type { ParleySocket } from './socket.ts';

/** A packet that is already text: built once from the log entry, sent to every socket as it is. */
export interface ReadyPacket extends parser.Packet {
  text: string;
}

function isReady(packet: parser.Packet): packet is ReadyPacket {
  return 'text' in packet;
}

/** Socket.IO's own encoder, except for packets that are already text. */
class Encoder extends parser.Encoder {
  override encode(packet: parser.Packet): unknown[] {
    return isReady(packet) ? [packet.text] : super.encode(packet);
  }
}

/** Characters of a packet before the client has signed in. */
const maxBeforeSignIn = 16 * 1024;
/** And of the one that signs in, which may have the positions of thousands of rooms beside the token. */
const maxSignIn = 128 * 1024;
/** Stands for a payload that was not parsed. */
export const unparsed = '(not parsed)';

/**
 * Socket.IO's own decoder. It does not parse payloads that would take too long: such events have the payload
 * `unparsed`. Any other packet that it refuses, and a long one before the client has signed in, closes the connection.
 */
export class Decoder extends parser.Decoder {
  isSignedIn = false;

  override add(packet: string | Buffer): void {
    super.add(typeof packet === 'string' ? this.parsable(packet) : packet);
  }

  private parsable(packet: string): string {
    const isSignIn = packet.startsWith(String(parser.PacketType.CONNECT));
    const most = isSignIn ? maxSignIn : maxBeforeSignIn;
    if (!this.isSignedIn && packet.length > most) throw new Error('This is too long before signing in.');
    if (!isTooComplex(packet)) return packet;
    const start = packet.indexOf('[');
    const [event] = /^\["[\w:-]{1,64}"/.exec(packet.slice(start, start + 70)) ?? [];
    if (!this.isSignedIn || !event) throw new Error('This nests too deep, or has too many lists and objects.');
    return `${packet.slice(0, start)}${event},"${unparsed}"]`;
  }
}

/** For the server's `parser` option; the wire format is the standard one. */
export const parleyParser = { Encoder, Decoder };

/**
 * An event packet of the main namespace (Socket.IO protocol 5) around a payload that is JSON text.
 * @param offset null: for clients that take none
 */
export function readyEvent(event: string, json: string, offset: string | null): ReadyPacket {
  const behind = offset === null ? '' : `,"${offset}"`;
  const text = `${parser.PacketType.EVENT}["${event}",${json}${behind}]`;
  return { type: parser.PacketType.EVENT, nsp: '/', data: [event], text };
}

/**
 * Logs who was cut off for an oversized packet: nothing of it is read, so there is no event to answer. The client sees close
 * code 1009 on a WebSocket, or 413 in long polling.
 */
export function noteOversized(socket: ParleySocket, maxBytes: number, log: Log): void {
  socket.on('disconnect', (_reason, cause: unknown) => {
    if (!(cause instanceof Error) || !cause.message.includes('Max payload size exceeded')) return;
    log.warn({ userId: socket.data.actor.userId, maxBytes }, 'A socket sent a packet that is too long and is cut off.');
  });
}
