/**
 * Loaded into a node process before everything else: measures how much processor time each turn of its event loop takes.
 * At each SIGUSR2 it writes the longest one since the last to the standard output, as a line of JSON.
 */
const tickMs = 1;
let longest = 0;
let before = process.threadCpuUsage();

const timer = setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longest = Math.max(longest, (user + system) / 1000);
}, tickMs);
timer.unref();

process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify({ longestTurnMs: longest })}\n`);
  longest = 0;
  before = process.threadCpuUsage();
});
