"""What Schemathesis takes for a fault and is none, as narrowly as it can be said."""

import schemathesis


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Nothing but GET of a health path is public. The rest is for an ADMIN: to a USER it is 403, not yet 405."""
    is_wrong_method = failure.code == "ST204" and case.path.startswith("/actuator/health")
    return not (is_wrong_method and response.status_code == 403)
