/* In place of http.c where libmicrohttpd's header is not installed. */
#include "http/http.h"

#include <stdio.h>

Http *http_open(const HttpOptions *options, HttpError *error)
{
    (void)options;
    snprintf(error->message, sizeof error->message,
             "this weft was built without HTTP: install libmicrohttpd-dev and build it again");
    return NULL;
}

unsigned http_port(const Http *http)
{
    (void)http;
    return 0;
}

bool http_run(Http *http, HttpError *error)
{
    (void)http;
    (void)error;
    return false;
}

void http_close(Http *http)
{
    (void)http;
}

bool http_is_loopback(const char *address)
{
    (void)address;
    return false;
}
