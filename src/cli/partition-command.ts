import { giveUpPartitioning, type Progress, partitionMessages } from '../database/moves/partition-messages.ts';
import type { Command } from './command.ts';

const reportMs = 10_000;

/** Divides the table of messages while the server runs (docs/scaling.md). */
export const partitionCommand: Command = {
  usage: 'partition-messages [--give-up]',
  summary: 'divide the table of messages into partitions while the server runs, or undo what was begun of it',
  async run({ database, options, print }) {
    if (options['give-up']) return print(sentences[await giveUpPartitioning(database.url)]);
    let reported: number | undefined;
    const report = ({ phase, moved }: Progress) => {
      const now = performance.now();
      if (reported === undefined) print(price);
      else if (now - reported < reportMs) return;
      reported = now;
      print(phase === 'waiting' ? 'waiting for another transaction to end' : `${phase}: ${moved} messages`);
    };
    const outcome = await partitionMessages(database.url, report);
    print(sentences[outcome]);
  },
};

const price = `Until this is done, a message costs PostgreSQL twice as much, also while no run is at it. A run that was cut off
is continued by the next one, or undone with --give-up.`;

const sentences = {
  done: 'The table of messages is partitioned.',
  'was done': 'The table of messages is partitioned already.',
  'given up': 'Nothing is left of what was begun; the table of messages is as it was.',
  elsewhere: 'This is being done by another run of the command.',
};
