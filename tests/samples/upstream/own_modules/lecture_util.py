from execute_util import link


def article_link(url):
    return link(title="(the course's own word)", url=url)
