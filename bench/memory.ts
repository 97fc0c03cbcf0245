/**
 * Loaded into every server that is measured (`--import`): tells the bench how much memory is really in use, by
 * collecting garbage first. What the process has from the system says more about when it last did so by itself.
 */
process.on('message', () => {
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
// The bench listens; that alone must not keep a server from ending.
process.channel?.unref();
