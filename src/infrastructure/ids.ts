import { randomUUID } from 'node:crypto';
import { clock } from './clock.ts';

/** How many ids of one millisecond the digits after the time can distinguish. */
const mostOfOne = 0x1000;

let time = 0;
let count = 0;

/**
 * A new id, a UUID of version 7 (contract §1), greater than all that this process has made before: lists by id are in order
 * even for ids of one millisecond. randomUUID uses random bytes that Node has buffered; a library that requests them each
 * time takes several times as long, which is felt where ids are made by the thousand.
 */
export function newId(): string {
  const now = Math.floor(clock.now());
  if (now > time) [time, count] = [now, 0];
  else if (++count === mostOfOne) [time, count] = [time + 1, 0];
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** The least id of a moment: those made before are smaller, but for the differences between clocks. */
export function leastIdAt(time: number): string {
  const digits = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}
