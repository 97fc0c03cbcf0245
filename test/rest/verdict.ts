import { expect } from 'chai';
import { errorCodes } from '../../src/contract/error-codes.ts';
import { errorsOf } from '../../src/rest/openapi.ts';
import type { Route } from '../../src/rest/route.ts';
import type { Answer, Loose } from '../world/person.ts';

/** Checks that a body is the error of contract §2, with the status that its code has. */
export function expectError({ status, body, headers }: Answer, code?: string): void {
  const told = JSON.stringify(body);
  expect(body, told).to.include.keys('ok', 'error', 'code', 'requestId');
  expect(body.ok).to.equal(false);
  expect(body.error, told).to.be.a('string').and.not.empty;
  expect(body.requestId).to.equal(headers.get('x-request-id'));
  expect(Object.entries<Loose>(errorCodes).find(([known]) => known === body.code)?.[1][0], told).to.equal(status);
  if (body.code === 'VALIDATION_FAILED') expectIssues(body.issues);
  if (status === 429 || status === 503) expect(headers.get('retry-after')).to.match(/^\d+$/);
  expect(told).not.to.match(/node_modules|\.ts:\d|postgres|constraint|SELECT |INSERT /i);
  if (code) expect(body.code, told).to.equal(code);
}

export function expectIssues(issues: Loose): void {
  expect(issues).to.be.an('array').and.not.empty;
  for (const issue of issues) {
    expect(issue).to.have.all.keys('path', 'message', 'code');
    for (const text of Object.values(issue)) expect(text).to.be.a('string');
  }
}

/** A node in good health answers none of these, whatever it is asked. */
const failures = ['INTERNAL_ERROR', 'DATABASE_UNAVAILABLE', 'SERVER_BUSY'];

/** The code of a refusal, in the form of contract §2 or in that of a protocol. */
export const codeIn = ({ code, error }: Loose): string => code ?? error.data?.code ?? error.code;

/** Checks that an answer is one of those that the route declares, in status, code and form. */
export function expectDeclared(route: Route, answer: Answer): void {
  const { status, body, headers } = answer;
  expect(headers.get('x-request-id')).to.match(/^[\w.:-]{1,128}$/);
  // A raw answer may be of any type, and a part of it, nothing new or elsewhere.
  if (route.produces && (status < 400 || status === 416)) {
    expect([200, 206, 301, 302, 304, 416]).to.include(status);
    return;
  }
  // Browsers show it to a person.
  if (status === route.refusalPage) {
    expect(headers.get('content-type')).to.contain('text/html');
    return;
  }
  expect(headers.get('content-type')).to.contain('application/json');
  if (status >= 400 && route.errorForm) {
    const { error } = route.errorForm.schema(errorsOf(route)).safeParse(body);
    expect(error?.issues, 'an error of another form than declared').to.equal(undefined);
    expect(errorCodes).to.have.property(codeIn(body)).with.property('0', status);
    return;
  }
  if (status >= 400) {
    expectError(answer);
    expect(errorsOf(route), 'an error that is not declared').to.include(body.code);
    expect(failures, JSON.stringify(body)).not.to.include(body.code);
    return;
  }
  expect([200, 201, 202]).to.include(status);
  const { error } = route.answer.safeParse(body);
  expect(error?.issues, 'an answer of another form than declared').to.equal(undefined);
}
