import * as parser from 'socket.io-parser';

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

/** For the server's `parser` option; the wire format is the standard one. */
export const parleyParser = { Encoder, Decoder: parser.Decoder };

/**
 * An event packet of the main namespace (Socket.IO protocol 5) around a payload that is JSON text.
 * @param offset null: for clients that take none
 */
export function readyEvent(event: string, json: string, offset: string | null): ReadyPacket {
  const behind = offset === null ? '' : `,"${offset}"`;
  const text = `${parser.PacketType.EVENT}["${event}",${json}${behind}]`;
  return { type: parser.PacketType.EVENT, nsp: '/', data: [event], text };
}
