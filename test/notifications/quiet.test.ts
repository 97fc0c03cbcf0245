// nodes: own

import { expect } from 'chai';
import { nextMomentOf } from '../../src/contract/local-time.ts';
import { isQuietAt, type QuietSettings, type QuietSpan, quietUntil } from '../../src/contract/quiet-times.ts';

/** Spans are written as `6 22:00-07:00`; 6 is Saturday. */
function settingsOf(timeZone: string | null, spans: string, snoozedUntil: string | null = null): QuietSettings {
  const all = spans.split(', ').flatMap((text): QuietSpan[] => {
    const [, day, from, to] = /^(\d) (.{5})-(.{5})$/.exec(text) ?? [];
    return day && from && to ? [{ day: Number(day), from, to }] : [];
  });
  return { isBusy: false, quietHours: { isOn: true, spans: all }, snoozedUntil, timeZone };
}

interface Case {
  zone: string | null;
  spans: string;
  at: string;
  /** Null: not quiet. */
  until: string | null;
  why: string;
}

const night = '6 22:00-07:00';
const table: Case[] = [
  ...[
    { at: '2026-01-10T20:59:59Z', until: null, why: 'before it begins' },
    { at: '2026-01-10T21:00:00Z', until: '2026-01-11T06:00:00Z', why: 'as it begins' },
    { at: '2026-01-11T05:59:59Z', until: '2026-01-11T06:00:00Z', why: 'on the next day, until it ends' },
    { at: '2026-01-11T06:00:00Z', until: null, why: 'as it ends' },
    { at: '2026-01-11T21:00:00Z', until: null, why: 'on a day without one' },
    { at: '2026-07-11T20:00:00Z', until: '2026-07-12T05:00:00Z', why: 'at the same times of day in summer' },
    { at: '2026-03-28T21:30:00Z', until: '2026-03-29T05:00:00Z', why: 'in a night that is an hour shorter' },
    { at: '2026-10-24T20:30:00Z', until: '2026-10-25T06:00:00Z', why: 'in a night that is an hour longer' },
  ].map((one) => ({ zone: 'Europe/Berlin', spans: night, ...one })),
  ...[
    // 02:00 to 03:00 is missing on 29 March, and comes twice on 25 October.
    { spans: '7 02:30-05:00', at: '2026-03-29T00:59:59Z', until: null, why: 'before the jump over its beginning' },
    { spans: '7 02:30-05:00', at: '2026-03-29T01:00:00Z', until: '2026-03-29T03:00:00Z', why: 'from the jump on' },
    {
      spans: '6 23:00-02:30',
      at: '2026-03-29T00:59:00Z',
      until: '2026-03-29T01:00:00Z',
      why: 'until the jump over its end',
    },
    { spans: '6 23:00-02:30', at: '2026-03-29T01:00:00Z', until: null, why: 'no longer than the jump' },
    {
      spans: '6 23:00-02:30',
      at: '2026-10-25T00:45:00Z',
      until: '2026-10-25T01:30:00Z',
      why: 'without a gap where its end comes twice',
    },
    {
      spans: '7 02:30-05:00',
      at: '2026-10-25T00:30:00Z',
      until: '2026-10-25T04:00:00Z',
      why: 'from the first time that it begins',
    },
    {
      spans: '7 02:30-05:00',
      at: '2026-10-25T01:10:00Z',
      until: '2026-10-25T04:00:00Z',
      why: 'still, as the hour repeats',
    },
    { spans: '7 02:10-02:20', at: '2026-03-29T01:00:00Z', until: null, why: 'never, if all of it is missing' },
    {
      spans: '7 02:10-02:20',
      at: '2026-10-25T01:15:00Z',
      until: '2026-10-25T01:20:00Z',
      why: 'from the first to the last of both',
    },
  ].map((one) => ({ zone: 'Europe/Berlin', ...one })),
  // Clocks are set forward at midnight.
  {
    zone: 'Africa/Cairo',
    spans: '5 00:00-06:00',
    at: '2026-04-23T22:00:00Z',
    until: '2026-04-24T03:00:00Z',
    why: 'where midnight is missing',
  },
  // By half an hour.
  {
    zone: 'Australia/Lord_Howe',
    spans: '7 01:45-03:00',
    at: '2026-04-04T15:00:00Z',
    until: '2026-04-04T16:30:00Z',
    why: 'where half an hour repeats',
  },
  {
    zone: 'Asia/Kathmandu',
    spans: '1 09:00-09:15',
    at: '2026-01-05T03:15:00Z',
    until: '2026-01-05T03:30:00Z',
    why: 'in a zone with quarters of an hour',
  },
  {
    zone: 'America/Los_Angeles',
    spans: '7 20:00-23:00',
    at: '2026-01-12T04:30:00Z',
    until: '2026-01-12T07:00:00Z',
    why: 'where it is still Sunday',
  },
  {
    zone: 'Pacific/Kiritimati',
    spans: '1 08:00-09:00',
    at: '2026-01-04T18:30:00Z',
    until: '2026-01-04T19:00:00Z',
    why: 'where it is Monday already',
  },
  {
    zone: 'UTC',
    spans: '1 00:00-00:00',
    at: '2026-01-05T00:00:00Z',
    until: '2026-01-06T00:00:00Z',
    why: 'all day, where it ends when it began',
  },
  {
    zone: 'UTC',
    spans: '5 22:00-00:00, 6 00:00-08:00',
    at: '2026-01-09T23:00:00Z',
    until: '2026-01-10T08:00:00Z',
    why: 'over spans that touch',
  },
  {
    zone: 'UTC',
    spans: '5 22:00-06:00, 6 05:00-08:00',
    at: '2026-01-10T02:00:00Z',
    until: '2026-01-10T08:00:00Z',
    why: 'over spans that overlap',
  },
  {
    zone: 'UTC',
    spans: '7 22:00-06:00',
    at: '2026-01-05T05:00:00Z',
    until: '2026-01-05T06:00:00Z',
    why: 'from Sunday to Monday',
  },
  {
    zone: null,
    spans: '1 09:00-10:00',
    at: '2026-01-05T09:30:00Z',
    until: '2026-01-05T10:00:00Z',
    why: 'in UTC, without a zone',
  },
  {
    zone: 'Nowhere/Atlantis',
    spans: '1 09:00-10:00',
    at: '2026-01-05T09:30:00Z',
    until: '2026-01-05T10:00:00Z',
    why: 'in UTC, with a zone that is none',
  },
];

describe('quiet hours', () => {
  for (const { zone, spans, at, until, why } of table) {
    it(`are ${until ? 'on' : 'off'} ${why} (${zone}, ${spans}, ${at})`, () => {
      const settings = settingsOf(zone, spans);
      expect(quietUntil(settings, new Date(at))?.toISOString() ?? null).to.equal(until?.replace('Z', '.000Z') ?? null);
      expect(isQuietAt(settings, new Date(at))).to.equal(until !== null);
      const off = { ...settings, quietHours: { ...settings.quietHours, isOn: false } };
      expect(isQuietAt(off, new Date(at))).to.equal(false);
    });
  }

  it('have the length of their times of day, whatever night it is', () => {
    const settings = settingsOf(
      'America/New_York',
      [1, 2, 3, 4, 5, 6, 7].map((day) => `${day} 23:00-06:00`).join(', '),
    );
    const hours = (from: string, days: number) => {
      const start = new Date(from).getTime();
      const quarters = Array.from({ length: days * 96 }, (_, i) => new Date(start + i * 15 * 60_000));
      return quarters.filter((at) => isQuietAt(settings, at)).length / 4;
    };
    expect(hours('2026-01-05T17:00:00Z', 7)).to.equal(49);
    // Clocks are set forward on 8 March, back on 1 November.
    expect(hours('2026-03-07T17:00:00Z', 2)).to.equal(13);
    expect(hours('2026-10-31T16:00:00Z', 2)).to.equal(15);
  });

  it('are asked about anew after some time by whoever is quiet all week', () => {
    const always = [1, 2, 3, 4, 5, 6, 7].map((day) => `${day} 00:00-00:00`).join(', ');
    const at = new Date('2026-01-05T12:00:00Z');
    const until = quietUntil(settingsOf('Europe/Berlin', always), at);
    expect(until?.getTime()).to.be.greaterThan(at.getTime() + 7 * 86_400_000);
  });
});

describe('a snooze', () => {
  it('lasts until its time, and goes over into quiet hours', () => {
    const settings = settingsOf('UTC', '1 10:00-11:00', '2026-01-05T10:00:00Z');
    expect(quietUntil(settings, new Date('2026-01-05T08:00:00Z'))?.toISOString()).to.equal('2026-01-05T11:00:00.000Z');
    expect(isQuietAt(settings, new Date('2026-01-05T11:00:00Z'))).to.equal(false);
    const over = settingsOf('UTC', '', '2026-01-05T10:00:00Z');
    expect(isQuietAt(over, new Date('2026-01-05T09:59:59Z'))).to.equal(true);
    expect(isQuietAt(over, new Date('2026-01-05T10:00:00Z'))).to.equal(false);
  });
});

describe('the status that says not to disturb', () => {
  it('is quiet at any time, and no quiet time: it ends when its user ends it', () => {
    const settings = { ...settingsOf('UTC', '1 10:00-11:00'), isBusy: true };
    for (const at of ['2026-01-05T08:00:00Z', '2026-01-05T10:30:00Z'])
      expect(isQuietAt(settings, new Date(at))).to.equal(true);
    expect(quietUntil(settings, new Date('2026-01-05T08:00:00Z'))).to.equal(null);
  });
});

describe('the next time that clocks show an hour', () => {
  for (const [zone, after, next] of [
    ['Europe/Berlin', '2026-03-28T06:59:59Z', '2026-03-28T07:00:00Z'],
    ['Europe/Berlin', '2026-03-28T07:00:00Z', '2026-03-29T06:00:00Z'],
    ['Europe/Berlin', '2026-10-24T06:00:00Z', '2026-10-25T07:00:00Z'],
    ['Asia/Tokyo', '2026-01-01T00:00:00Z', '2026-01-01T23:00:00Z'],
  ] as const) {
    it(`is ${next} in ${zone} after ${after}`, () => {
      expect(new Date(nextMomentOf(zone, '08:00', Date.parse(after))).toISOString()).to.equal(
        next.replace('Z', '.000Z'),
      );
    });
  }
});
