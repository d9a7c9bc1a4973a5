interface ReportFields {
  readonly action?: string;
  readonly status?: string;
  readonly diagnostic?: string;
  readonly recipient?: string;
}

/** A delivery report as a mail server sends it (RFC 3464), with CRLF. */
export function deliveryReport({
  action = 'failed',
  status = '5.1.1',
  diagnostic = 'smtp; 550 5.1.1 <ada@example.com>:\n  Recipient address rejected',
  recipient = 'rfc822; Ada@example.com',
}: ReportFields = {}): string {
  return `From: MAILER-DAEMON@mx.example.com
To: b@bounces.example.com
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="B"

--B
Content-Type: text/plain; charset=us-ascii

Your mail could not be delivered.

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com
Arrival-Date: Sun, 1 Mar 2026 10:00:00 +0000

Final-Recipient: ${recipient}
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.example.org
Diagnostic-Code: ${diagnostic}

--B
Content-Type: message/rfc822

From: shop@example.com
To: ada@example.com
Subject: Shipped

Your order has shipped.

--B--
`.replaceAll('\n', '\r\n');
}
