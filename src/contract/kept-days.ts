/** For how many days messages of a channel are kept, given its own number and that of its server; null: for ever. */
export function keptDays(ofChannel: number | null, ofServer: number | null): number | null {
  const days = ofChannel ?? ofServer;
  return days === 0 ? null : days;
}
